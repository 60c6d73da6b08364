from __future__ import annotations

import pytest

from runaway.guard.call import ASK, DENY, NOTE, NOTHING, STOP
from tests.guard.support import FAILED, NEUTRAL, REFUSED, Play, levels

OPEN = {"loop.same_result": (None, None, None, None)}
ONLY_SAME_CALL = {"limits": OPEN}


def test_equal_calls_in_a_row_climb_the_ladder_where_a_person_answers() -> None:
    play = Play(attended=True, policy=ONLY_SAME_CALL)
    assert levels(play, 20) == [NOTHING] * 7 + [ASK] * 4 + [DENY] * 8 + [STOP]


def test_an_unattended_run_is_denied_where_a_person_would_be_asked() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    assert levels(play, 20) == [NOTHING] * 7 + [DENY] * 12 + [STOP]


def test_a_different_call_ends_the_row() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    for _ in range(5):
        assert levels(play, 7) == [NOTHING] * 7
        assert play.call("other") == NOTHING


def test_a_denied_call_of_another_kind_does_not_end_a_row() -> None:
    play = Play(policy={"limits": {**OPEN, "loop.same_call": (None, None, 3, 50)}})
    assert levels(play, 3)[-1] == DENY
    assert levels(play, 2, "b") == [NOTHING, NOTHING]
    assert play.call("b") == STOP, "the second distinct trip of an unattended run"


@pytest.mark.parametrize(
    ("tool", "first", "second"),
    [
        ("Bash", {"command": "ls  ", "description": "x"}, {"command": "ls", "timeout": 5}),
        ("Edit", {"file_path": "a", "replace_all": False}, {"file_path": "a"}),
    ],
)
def test_arguments_that_change_nothing_do_not_make_another_call(
    tool: str, first: dict[str, object], second: dict[str, object]
) -> None:
    from runaway.guard.dialects.claude import identifying_arguments

    assert identifying_arguments(tool, first) == identifying_arguments(tool, second)


def test_the_same_result_among_other_calls_is_a_loop() -> None:
    play = Play(attended=True)
    seen = []
    for number in range(12):
        seen.append(play.ran("a"))
        play.ran(f"other {number}", result=f"r{number}")
    assert seen[:6] == [NOTHING] * 3 + [NOTE, NOTHING, ASK]


def test_changing_results_are_no_loop_until_the_row_is_long() -> None:
    play = Play(attended=True)
    seen = [play.ran("a", result=f"r{number}") for number in range(8)]
    assert seen == [NOTHING] * 7 + [ASK]


def test_refused_calls_are_no_repeats() -> None:
    play = Play(attended=True)
    for _ in range(30):
        play.call("a")
        play.result(NEUTRAL)
    assert play.call("a") == NOTHING


def test_slow_repeats_are_polling() -> None:
    play = Play(attended=True)
    assert [play.ran("a", gap=45) for _ in range(39)].count(NOTHING) >= 38
    assert play.ran("a", gap=45) == ASK


def test_fast_repeats_after_slow_ones_are_a_loop_again() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    levels(play, 10, gap=45)
    assert play.call("a", gap=1) == DENY


def test_an_approval_starts_the_call_anew_with_twice_the_limit() -> None:
    play = Play(attended=True)
    for _ in range(5):
        play.ran("a")
    assert play.call("a") == ASK
    play.result()  # it ran: the person said yes
    seen = [play.ran("a") for _ in range(12)]
    assert seen.index(NOTE) + 1 == 8
    assert seen.index(ASK) + 1 == 12


def test_a_refused_ask_grants_nothing() -> None:
    play = Play(attended=True)
    for _ in range(5):
        play.ran("a")
    assert play.call("a") == ASK
    play.result(NEUTRAL)
    assert play.call("a") == ASK


def test_agents_count_apart() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    assert levels(play, 7, agent="one") == [NOTHING] * 7
    assert levels(play, 7, agent="two") == [NOTHING] * 7
    assert levels(play, 7) == [NOTHING] * 7
    assert play.call(agent="one") == DENY


def test_the_same_call_id_is_counted_once_and_gets_the_same_answer() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    levels(play, 7)
    assert [play.call(id="twice") for _ in range(5)] == [DENY] * 5
    assert play.call(id="next") == DENY
    assert play.memory["agents"][""]["calls"][-1][5] == 9


def test_a_new_prompt_of_a_person_clears_the_counts() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    levels(play, 7)
    play.prompt_id = "p2"
    assert levels(play, 7) == [NOTHING] * 7


def test_a_prompt_that_nobody_wrote_clears_nothing() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    play.memory["logs"] = {"files": {"": [0]}}
    play.prompt("p1")
    levels(play, 7)
    play.prompt("p2", human=False)
    play.prompt_id = "p2"
    assert play.call() == DENY


def test_many_calls_since_the_prompt_are_noted_and_asked_about() -> None:
    play = Play(attended=True)
    seen = [play.call(str(number)) for number in range(400)]
    assert [number for number, level in enumerate(seen, 1) if level] == [200, 400]
    assert seen[199] == NOTE
    assert seen[399] == ASK


def test_an_unattended_run_is_never_denied_for_the_number_of_its_calls() -> None:
    play = Play()
    seen = [play.call(str(number)) for number in range(450)]
    assert [number for number, level in enumerate(seen, 1) if level] == [200, 400]
    assert max(seen) == NOTE


def test_a_failing_call_that_reaches_no_hook_counts_by_its_result() -> None:
    play = Play()
    play.call("x")
    for number in range(6):
        play.announce("edit", f"e{number}")
        play.result(FAILED, id=f"e{number}", round="r")
    records = play.memory["agents"][""]["calls"]
    assert len(records) == 7
    assert records[-1][5] == 6


def test_the_first_call_after_a_prompt_that_the_log_does_not_tell_of_yet_is_no_loop() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    play.memory["logs"] = {"files": {"": [0]}}
    play.prompt("p1")
    levels(play, 7)
    play.prompt_id = "p2"
    assert play.call() == NOTHING, "a person may have said: again"
    assert play.call() == DENY, "the next one would know"
    play.prompt_id = "p1"
    assert play.call() == DENY


def test_one_call_that_a_program_refuses_for_ever_is_a_loop_whatever_reason_it_gives() -> None:
    """Source: Gitlawb/zero#866, NousResearch/hermes-agent#43201."""
    play = Play()
    seen = [play.ran("rm x", REFUSED, f"reason {'x' * number}") for number in range(6)]
    assert max(seen[:5]) < DENY
    assert seen[5] == DENY
