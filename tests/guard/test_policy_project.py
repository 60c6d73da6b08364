"""A project's `.runaway.json` only tightens: no call is judged more leniently with it than without."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runaway.guard.call import ASK, BEFORE_CALL, DENY, NOTE, NOTHING, ON_PROMPT, STOP, Call
from runaway.guard.judge import judge_prompt, judge_unseen
from runaway.guard.policy import DEFAULTS, Policy, tighten
from runaway.guard.words import explain
from tests.support.guard import NEUTRAL, Play


def tightened(folder: Path, wish: Any, **own: Any) -> Policy:
    (folder / ".runaway.json").write_text(wish if isinstance(wish, str) else json.dumps(wish))
    policy = Policy(own, "/nowhere")
    tighten(policy, str(folder))
    return policy


def play(folder: Path, wish: Any, *, attended: bool = False, **own: Any) -> Play:
    session = Play(attended=attended)
    session.policy = tightened(folder, wish, **own)
    return session


def spending(session: Play, **spend: Any) -> Play:
    session.memory["spend"] = {"total": 0.0, "prompt": 0.0, "last": 0.0, "recent": [], **spend}
    return session


def test_a_project_may_lower_thresholds_and_caps(tmp_path: Path) -> None:
    wish = {"limits": {"loop.same_call": [2, 4, 6, 8]}, "session_cap": 5, "day_cap": 7}
    project = tightened(tmp_path, wish, session_cap=20).project
    assert project is not None
    assert list(project.limits["loop.same_call"]) == [2, 4, 6, 8]
    assert (project.session_cap, project.day_cap) == (5, 7)
    assert project.source == f"{tmp_path}/.runaway.json"


def test_the_users_own_policy_stays_as_it_is(tmp_path: Path) -> None:
    wish = {
        "limits": {"loop.same_call": [0, 100, None, 1000], "failure.rounds": [-1, 99, 99, 99]},
        "session_cap": 500,
        "day_cap": 0,
        "observe": True,
        "paused_until": 9e9,
        "protected": [],
        "prices": {"claude-opus-5-5": [[0] * 12]},
        "state": "/elsewhere",
    }
    policy = tightened(tmp_path, wish, session_cap=20, day_cap=30, protected=["/ours/runaway"])
    for one in (policy, policy.project):
        assert one is not None
        assert one.limits == DEFAULTS
        assert (one.session_cap, one.day_cap, one.state) == (20, 30, "/nowhere")
    assert policy.protected == ["/ours/runaway"]
    assert not policy.silent(1.0)
    assert policy.prices == {}


@pytest.mark.parametrize("cap", [50.01, 1_000_000, 1e300, "1e999", "NaN", -1, 0, "1" + "0" * 400])
@pytest.mark.parametrize("key", ["session_cap", "day_cap"])
def test_no_cap_of_a_project_lifts_the_one_of_unattended_runs(
    tmp_path: Path, key: str, cap: Any
) -> None:
    session = spending(play(tmp_path, f'{{"{key}": {cap}}}'), total=50.0)
    assert session.call() == STOP


@pytest.mark.parametrize("attended", [False, True])
def test_a_lower_cap_of_the_project_holds(tmp_path: Path, attended: bool) -> None:
    session = spending(play(tmp_path, {"session_cap": 5}, attended=attended), total=5.5)
    verdict, reached = session.verdict()
    assert (verdict.rule, reached) == ("spend.session", STOP)
    assert verdict.source == f"{tmp_path}/.runaway.json"


def test_a_rule_that_only_asks_hides_no_other_from_an_unattended_run(tmp_path: Path) -> None:
    """Where nobody is there such a rule leaves a note, which must not outweigh a denial."""
    session = play(tmp_path, {"limits": {"loop.calls_per_prompt": [1, 1, None, None]}})
    session.policy.protected = ["/ours/runaway"]
    assert session.call("ls") == NOTE
    assert session.call("rm /ours/runaway/guard") == DENY
    spending(session, total=49.0, last=0.6)
    assert session.call("pwd") == STOP, "close to the $50, and the second distinct trip"


def test_a_note_of_the_projects_does_not_use_up_the_users(tmp_path: Path) -> None:
    session = spending(play(tmp_path, {"limits": {"spend.prompt": [5, 0, 0, 0]}}), prompt=6.0)
    assert session.call("1") == NOTE
    session.memory["spend"]["prompt"] = 11.0
    assert session.call("2") == NOTE
    assert session.call("3") == NOTHING


def test_saying_yes_beyond_a_projects_limit_raises_none_of_the_users(tmp_path: Path) -> None:
    session = play(tmp_path, {"limits": {"loop.same_call": [0, 1, 0, 0]}}, attended=True)
    asked = []
    for number in range(1, 13):
        verdict, level = session.verdict()
        asked += [(number, bool(verdict.source))] if level == ASK else []
        session.result(NEUTRAL if level > ASK else "ok", f"{number % 2}")
    assert asked[0] == (1, True)
    assert (8, False) in asked, "the user's own limit, as without the file"


def test_another_call_after_a_projects_denial_is_still_asked_about(tmp_path: Path) -> None:
    session = play(tmp_path, {"limits": {"failure.rounds": [0, 0, 6, 0]}}, attended=True)
    for number in range(6):
        session.call(f"try {number}")
        session.result("failed", round=f"r{number}")
    assert session.call("seventh") == DENY
    assert session.call("another") == ASK, "six failing rounds are the user's own limit too"


# -- the reason names the file


@pytest.mark.parametrize(
    ("wish", "level", "says"),
    [
        ([0, 0, 2, 0], DENY, "It was held back (loop.same_call, limit from {}/.runaway.json)."),
        ([0, 0, 0, 2], STOP, "The turn ends here (loop.same_call, limit from {}/.runaway.json)."),
        ([0, 2, 0, 0], ASK, "Let it run once more? (loop.same_call, limit from {}/.runaway.json)"),
        ([2, 0, 0, 0], NOTE, "(loop.same_call, limit from {}/.runaway.json)"),
    ],
    ids=["deny", "stop", "ask", "note"],
)
def test_a_reason_that_comes_from_a_projects_file_names_it(
    tmp_path: Path, wish: list[int], level: int, says: str
) -> None:
    session = play(tmp_path, {"limits": {"loop.same_call": wish}}, attended=True)
    session.call()
    verdict, reached = session.verdict()
    assert reached == level
    call = Call("claude", "s", tool="Bash", arguments={"command": "a"})
    assert says.format(tmp_path) in explain(call, verdict, level)


def test_a_reason_that_holds_without_the_file_does_not_name_it(tmp_path: Path) -> None:
    session = play(tmp_path, {"limits": {"loop.same_call": [2, 4, 8, 20]}})
    levels = [session.verdict() for _ in range(8)]
    assert {verdict.source != "" for verdict, level in levels[1:7] if level} == {True}
    own = play(tmp_path, {"limits": {"loop.same_call": [0, 8, 12, 20]}}, attended=True)
    *_, (verdict, level) = [own.verdict() for _ in range(8)]
    assert (verdict.source, level) == ("", ASK)


# -- files that make no sense

NONSENSE = [
    "",
    "{",
    "[]",
    "null",
    '{"limits": {"loop.same_call": [3]}}',
    '{"limits": {"loop.same_call": [1, 2, 3, 4, 5]}}',
    '{"limits": {"loop.same_call": "abcd"}}',
    '{"limits": {"loop.same_call": {"1": 1, "2": 2, "3": 3, "4": 4}}}',
    '{"limits": {"loop.same_call": [true, 1, 1, 1]}}',
    '{"limits": 7}',
    '{"limits": null}',
    '{"session_cap": "5"}',
    '{"session_cap": true}',
    '{"day_cap": [5]}',
]


@pytest.mark.parametrize("wish", NONSENSE)
def test_one_that_makes_no_sense_is_an_error_and_changes_nothing(tmp_path: Path, wish: str) -> None:
    policy = Policy({}, "/nowhere")
    (tmp_path / ".runaway.json").write_text(wish)
    with pytest.raises(ValueError, match=r"\S"):
        tighten(policy, str(tmp_path))
    assert policy.project is None
    assert policy.limits == DEFAULTS


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    path.write_text('{"session_cap": 5' + " " * (1 << 20) + "}")


@pytest.mark.parametrize("plant", [pipe, folder, endless, huge], ids=lambda one: one.__name__)
def test_what_is_no_file_of_a_sensible_size_is_an_error_at_once(tmp_path: Path, plant: Any) -> None:
    plant(tmp_path / ".runaway.json")
    policy = Policy({}, "/nowhere")
    with pytest.raises((ValueError, OSError)):
        tighten(policy, str(tmp_path))
    assert policy.project is None


def test_without_one_nothing_changes(tmp_path: Path) -> None:
    policy = Policy({}, "/nowhere")
    (tmp_path.parent / ".runaway.json").write_text('{"session_cap": 1}')  # above, not in it
    tighten(policy, str(tmp_path))
    (tmp_path.parent / ".runaway.json").unlink()
    assert policy.project is None
    assert policy.limits == DEFAULTS


# -- for every file and every call

NUMBERS = st.one_of(
    st.sampled_from([None, 0, -1, 1, 2, 3, 6, 12, 400, 10**400, 1e300, float("inf"), float("nan")]),
    st.integers(-5, 30),
    st.floats(allow_nan=True),
)
VALUES = NUMBERS | st.booleans() | st.text(max_size=3)
LIMITS = st.lists(NUMBERS, min_size=4, max_size=4) | st.lists(VALUES, max_size=5)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "limits": st.dictionaries(st.sampled_from([*DEFAULTS, "tamper"]), LIMITS, max_size=4),
        "session_cap": VALUES | NUMBERS,
        "day_cap": VALUES | NUMBERS,
        "observe": st.booleans(),
        "paused_until": NUMBERS,
    },
)
SPEND = st.fixed_dictionaries(
    {
        "total": st.sampled_from([0.0, 4.0, 26.0, 49.0, 50.0, 900.0]),
        "prompt": st.sampled_from([0.0, 6.0, 12.0, 25.0, 41.0]),
        "last": st.sampled_from([0.0, 0.5]),
        "recent": st.lists(
            st.tuples(st.just(1000.0), st.sampled_from([1.0, 11.0, 16.0])), max_size=2
        ),
        "day": st.tuples(st.sampled_from([0.0, 60.0, 160.0]), st.sampled_from([0.0, 60.0, 160.0])),
    }
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(["Bash", "Agent", "WebSearch"]),
        st.sampled_from(["ok", "failed", "neutral", ""]),
        st.sampled_from(["", "sub"]),
        st.sampled_from([1.0, 40.0]),
    ),
    max_size=25,
)
OWN = st.sampled_from([{}, {"session_cap": 30.0}, {"day_cap": 100.0}, {"observe": True}])


@given(FILES, OWN, SPEND, CALLS, st.booleans())
@example({"session_cap": 10**6}, {}, {"total": 50.0, "prompt": 0.0, "last": 0.0, "recent": [],
         "day": (0.0, 0.0)}, [("a", "Bash", "ok", "", 1.0)], False)  # fmt: skip
def test_no_file_lowers_the_level_of_any_verdict(
    tmp_path_factory: pytest.TempPathFactory,
    file: dict[str, Any],
    own: dict[str, Any],
    spend: dict[str, Any],
    calls: list[tuple[str, str, str, str, float]],
    attended: bool,
) -> None:
    """At each call of a session that lives with the file, judged both ways from the same memory."""
    without = Policy(own, "/nowhere")
    with_file = policy_with(tmp_path_factory, file, own)
    session = Play(attended=attended)
    session.memory["spend"] = copy.deepcopy(spend)
    session.policy = with_file
    for what, tool, outcome, agent, gap in calls:
        for look in (judge_prompt, judge_unseen):
            levels = [level_of(look, session, policy) for policy in (without, with_file)]
            assert levels[1] >= levels[0]
        plain = copy.deepcopy(session)
        plain.policy = without
        lower = plain.call(what, tool=tool, agent=agent, gap=gap)
        assert session.call(what, tool=tool, agent=agent, gap=gap) >= lower
        if outcome:
            session.result(outcome, what, agent=agent)


def policy_with(
    folders: pytest.TempPathFactory, file: dict[str, Any], own: dict[str, Any]
) -> Policy:
    folder = folders.mktemp("project")
    (folder / ".runaway.json").write_text(json.dumps(file))
    policy = Policy(own, "/nowhere")
    try:
        tighten(policy, str(folder))
    except ValueError:
        assert policy.project is None
    return policy


def level_of(look: Any, session: Play, policy: Policy) -> int:
    stage = ON_PROMPT if look is judge_prompt else BEFORE_CALL
    call = Call("claude", "s", stage=stage, tool="Bash", attended=session.attended)
    return int(look(call, copy.deepcopy(session.memory), policy, session.now)[1])
