from __future__ import annotations

from runaway.guard.call import ASK, DENY, NOTE, NOTHING, STOP
from tests.support.guard import FAILED, NEUTRAL, OK, REFUSED, Play


def fail(play: Play, count: int, start: int = 0) -> list[int]:
    return [
        play.ran(f"call {number}", FAILED, f"r{number}") for number in range(start, start + count)
    ]


def test_failing_rounds_in_a_row_are_noted_then_asked_about() -> None:
    play = Play(attended=True)
    assert fail(play, 7) == [NOTHING] * 4 + [NOTE, NOTHING, ASK]


def test_a_success_starts_the_count_anew() -> None:
    play = Play(attended=True)
    fail(play, 5)
    play.ran("fine", OK)
    assert NOTE not in fail(play, 4, 10)


def test_parallel_failures_of_one_response_are_one_round() -> None:
    play = Play(attended=True)
    for number in range(20):
        play.call(f"call {number}")
        play.result(FAILED, f"r{number}", round="the same response")
    assert play.call("next") == NOTHING


def test_what_a_person_refuses_is_no_failure() -> None:
    play = Play(attended=True)
    for number in range(20):
        play.call(f"call {number}")
        play.result(NEUTRAL)
    assert play.call("next") == NOTHING


def test_different_calls_that_a_program_refuses_are_failing_rounds() -> None:
    play = Play(attended=True)
    for number in range(6):
        play.ran(f"call {number}", REFUSED, f"r{number}")
    assert play.call("next") == ASK


def test_after_a_denial_another_call_may_try() -> None:
    play = Play()
    fail(play, 6)
    assert play.call("seventh") == DENY
    assert play.call("another way") == NOTHING


def test_whoever_repeats_the_denied_call_climbs_to_the_stop() -> None:
    play = Play(policy={"limits": {"loop.same_call": (None, None, None, None)}})
    fail(play, 6)
    seen = [play.call("again") for _ in range(7)]
    assert seen[0] == DENY
    assert seen[-1] == STOP


def test_twelve_failing_rounds_end_the_turn_of_an_unattended_run() -> None:
    play = Play()
    seen = []
    for number in range(30):
        seen += fail(play, 1, number)
        if seen[-1] == STOP:
            break
    assert seen[-1] == STOP
    assert len(seen) < 22


def test_failing_rounds_that_an_earlier_release_has_stored_go_on_counting() -> None:
    play = Play(attended=True)
    play.call("a")
    play.memory["agents"][""]["failing"] = [5, "r5", "", 0]
    play.result(FAILED, round="r6")
    assert play.call("b") == ASK
