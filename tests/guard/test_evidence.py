from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from runaway.guard.call import AGENT_ID, ASK, DENY, STOP, UNNAMED, digest
from runaway.guard.dialects import claude
from runaway.guard.evidence import ANNOUNCED, apply_event
from runaway.guard.history import LEVEL, OUTCOME, STREAK, UNSEEN
from runaway.guard.outcomes import NEVER_RAN
from runaway.guard.transcripts import CALL, PROMPT, RESULT
from tests.support.guard import FAILED, NEUTRAL, OK, REFUSED, Play

if TYPE_CHECKING:
    from runaway.guard.state import Event

NAMELESS = ModuleType("nameless")  # a dialect of a harness whose hooks are not told the agent
NAMELESS.__dict__.update(
    UNSUPPORTED=frozenset((AGENT_ID,)),
    TOOL_KINDS=claude.TOOL_KINDS,
    identifying_arguments=claude.identifying_arguments,
)


def records(play: Play, agent: str = "") -> list[list[Any]]:
    found = play.memory["agents"][agent]["calls"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("outcome", "stored"),
    [(OK, "same"), (FAILED, "!same"), (REFUSED, "!!refused"), (NEUTRAL, NEVER_RAN)],
)
def test_a_result_is_remembered_once(outcome: str, stored: str) -> None:
    play = Play()
    play.call()
    play.result(outcome)
    play.result(OK, "another")
    assert records(play)[0][OUTCOME] == stored


def test_a_refusal_of_what_the_guard_asked_about_is_no_evidence() -> None:
    play = Play(attended=True)
    for number in range(6):
        play.ran(f"call {number}", FAILED, f"r{number}")
    assert play.call("next") == ASK
    play.result(REFUSED)
    assert records(play)[-1][OUTCOME] == NEVER_RAN


@pytest.mark.parametrize("told", [OK, FAILED, REFUSED, NEUTRAL])
def test_what_a_harness_tells_of_a_denied_call_is_no_result(told: str) -> None:
    """Some put our reason into their log as if the call had said it."""
    play, answers = Play(), []
    for _ in range(9):
        answers.append(play.call("echo again"))
        play.result(
            told if answers[-1] >= DENY else OK, "denied" if answers[-1] >= DENY else "same"
        )
    first = answers.index(DENY)
    assert min(answers[first:]) >= DENY


def test_a_result_of_nothing_that_is_known_changes_nothing() -> None:
    play = Play()
    play.call()
    before = str(records(play))
    play.result(FAILED, id="unknown")
    assert str(records(play)) == before
    assert "failing" not in play.memory["agents"][""]


def test_taking_the_same_evidence_twice_changes_nothing() -> None:
    play = Play()
    for number in range(3):
        play.call(str(number))
        for _ in range(4):
            play.result(FAILED)
    assert play.memory["agents"][""]["failing"][0] == 3


def test_a_call_that_no_hook_saw_is_a_call_once_its_result_is_there() -> None:
    play = Play()
    play.call("first")
    play.announce("edit", "e1")
    assert len(records(play)) == 1
    play.result(FAILED, id="e1", round="r1")
    assert records(play)[1][LEVEL] == UNSEEN
    assert play.memory["agents"][""]["unseen"] == {}


def test_a_call_that_is_announced_and_then_asked_about_is_one_call() -> None:
    play = Play()
    play.announce("a", "t1", tool="Bash")
    play.call("a")
    play.result(id="t1")
    assert len(records(play)) == 1
    assert records(play)[0][LEVEL] == 0


def test_only_so_many_calls_are_awaited() -> None:
    play = Play()
    for number in range(3 * ANNOUNCED):
        play.announce("a", f"e{number}")
    waiting = play.memory["agents"][""]["unseen"]
    assert list(waiting) == [digest(f"e{n}") for n in range(2 * ANNOUNCED, 3 * ANNOUNCED)]


def test_an_approval_clears_the_call_for_all_loop_rules_and_no_other_call() -> None:
    play = Play(attended=True)
    for _ in range(5):
        play.ran("a")
        play.ran("b")
    assert play.call("a") == ASK
    assert list(play.memory["asked"]) == [digest(f"t{play.number}")]
    play.result()
    assert play.memory["asked"] == {}
    assert list(play.memory["granted"].values()) == [2]
    rows = {(record[OUTCOME] == NEVER_RAN, record[STREAK]) for record in records(play)}
    assert (True, 0) in rows
    assert play.call("b") == ASK


def test_an_approval_of_the_first_call_after_a_prompt_outlives_what_the_prompt_clears() -> None:
    play = Play(attended=True)
    play.memory["logs"] = {"files": {"": [0]}}
    play.memory["spend"] = {"total": 30.0, "prompt": 30.0, "last": 0.1, "recent": []}
    play.prompt_id = "p2"
    assert play.call("a") == ASK
    play.prompt("p2")  # only now the log tells of both
    play.announce("a", "t1", tool="Bash")
    play.result(id="t1")
    assert play.memory["granted"] == {"spend.prompt:": 2}


def test_a_refused_ask_is_not_remembered_for_ever() -> None:
    play = Play(attended=True)
    for _ in range(5):
        play.ran("a")
    assert play.call("a") == ASK
    play.result(NEUTRAL)
    assert play.memory["asked"] == {}
    assert play.memory.get("granted", {}) == {}


def test_a_second_approval_doubles_again() -> None:
    play = Play(
        attended=True,
        policy={
            "limits": {"loop.same_call": (None, 2, None, None), "loop.same_result": [None] * 4}
        },
    )
    asked = [number for number in range(1, 30) if play.ran() == ASK]
    assert asked == [2, 6, 14]
    assert list(play.memory["granted"].values()) == [8]


def test_a_denied_call_goes_on_counting_and_a_refused_one_does_not() -> None:
    play = Play()
    play.call("a")
    play.result(NEUTRAL)
    assert records(play)[0][STREAK] == 0
    play.call("b")
    records(play)[1][LEVEL] = DENY
    play.result(NEUTRAL)
    assert records(play)[1][STREAK] == 1


def test_without_a_round_parallel_failures_are_told_by_time() -> None:
    play = Play()
    for number in range(3):
        play.call(str(number), id=f"p{number}", gap=0.0)
    for number in range(3):
        apply_event(play.memory, "", (RESULT, 1002.0, f"p{number}", FAILED, "x", "", False), claude)
    assert play.memory["agents"][""]["failing"][0] == 1
    play.call("later", id="later", gap=10.0)
    apply_event(play.memory, "", (RESULT, 1011.0, "later", FAILED, "x", "", False), claude)
    assert play.memory["agents"][""]["failing"][0] == 2


def test_the_prompt_that_is_known_already_starts_nothing_anew() -> None:
    play = Play()
    play.call()
    apply_event(play.memory, "", (PROMPT, 1.0, "p1", True), claude)
    assert len(records(play)) == 1
    apply_event(play.memory, "", (PROMPT, 1.0, "p2", True), claude)
    assert play.memory["agents"] == {}


def test_evidence_of_one_agent_is_not_that_of_another() -> None:
    play = Play()
    play.call(agent="one", id="same")
    play.call(agent="two", id="same")
    play.result(FAILED, id="same", agent="one")
    assert records(play, "one")[0][OUTCOME] == "!same"
    assert records(play, "two")[0][OUTCOME] == ""


def test_failing_edits_that_nobody_announced_climb_to_the_end_of_the_turn() -> None:
    from runaway.guard.call import AFTER_CALLS, Call
    from runaway.guard.judge import judge_unseen

    play = Play()
    levels = []
    for number in range(8):
        play.announce("edit", f"e{number}")
        play.result(FAILED, id=f"e{number}", round=f"r{number}")
        call = Call("claude", "s", event="PostToolBatch", stage=AFTER_CALLS, prompt="p1")
        levels.append(judge_unseen(call, play.memory, play.policy, play.now)[1])
    assert STOP in levels


def unnamed(play: Play, number: int, what: str = "a") -> int:
    """A call whose hook was told no id, but for a moment that tells it from others."""
    return play.call(what, id=f"{UNNAMED}{number}")


def logged(play: Play, number: int, what: str = "a", outcome: str = OK, agent: str = "") -> None:
    """What the log has of such a call when it has ended, under an id of its own."""
    event: Event = (CALL, play.now, f"log{number}", "Bash", {"command": what}, "r", "")
    apply_event(play.memory, agent, event, NAMELESS)
    result: Event = (RESULT, play.now, f"log{number}", outcome, "same", f"r{number}", False)
    apply_event(play.memory, agent, result, NAMELESS)


def test_the_log_names_the_oldest_equal_call_whose_hook_was_told_no_id() -> None:
    play = Play()
    unnamed(play, 1)
    unnamed(play, 2)
    unnamed(play, 3, "b")
    logged(play, 1)
    logged(play, 3, "b", FAILED)
    assert [record[OUTCOME] for record in records(play)] == ["same", "", "!same"]
    logged(play, 1)  # the log may say it again
    assert [record[OUTCOME] for record in records(play)] == ["same", "", "!same"]


def test_a_call_without_an_id_that_two_hooks_tell_is_one_call() -> None:
    play = Play()
    unnamed(play, 1)
    unnamed(play, 1)
    assert len(records(play)) == 1


def test_calls_without_ids_trip_by_their_results_like_all_others() -> None:
    play, seen = Play(), []
    for number in range(8):
        seen.append(unnamed(play, number))
        logged(play, number, outcome=OK if seen[-1] < DENY else NEUTRAL)
    assert [level >= DENY for level in seen] == [False] * 5 + [True] * 3


def test_a_call_without_an_id_that_was_asked_about_and_ran_was_approved() -> None:
    play = Play(attended=True)
    for number in range(6):
        level = unnamed(play, number)
        logged(play, number)
    assert level == ASK
    assert play.memory["granted"]
    assert unnamed(play, 6) < ASK


def test_where_hooks_are_not_told_the_agent_all_agents_are_one() -> None:
    play = Play()
    unnamed(play, 1)
    logged(play, 1, agent="sub")
    assert records(play)[0][OUTCOME] == "same"
    assert list(play.memory["agents"]) == [""]
