from __future__ import annotations

from typing import Any

from runaway.guard.call import ASK, DENY, NOTHING, STOP
from tests.support.guard import Play


def begun(**options: Any) -> Play:
    """A session in which a person has asked for something."""
    play = Play(**options)
    play.ran("first")
    return play


def lap(play: Play, number: int) -> int:
    """Something but a person lets the agent go on, and it makes another harmless call."""
    play.prompt(f"lap {number}", human=False)
    return play.ran(f"look at {number}", result=f"result {number}")


def test_laps_that_nobody_asked_for_are_asked_about_and_then_ended() -> None:
    """A public case: anthropics/claude-plugins-official#1699."""
    play = begun(attended=True)
    seen = [lap(play, number) for number in range(1, 51)]
    assert seen[:25] == [NOTHING] * 24 + [ASK]
    assert seen[49] in (ASK, STOP)


def test_where_nobody_watches_the_turn_ends_at_once() -> None:
    play = begun()
    seen = [lap(play, number) for number in range(1, 27)]
    assert seen == [NOTHING] * 24 + [STOP] * 2


def test_a_yes_allows_as_many_again() -> None:
    play = begun(attended=True)
    for number in range(1, 26):
        level = lap(play, number)
    assert level == ASK
    assert [lap(play, number) for number in range(26, 50)] == [NOTHING] * 24
    assert lap(play, 50) == ASK


def test_only_a_person_starts_the_count_anew() -> None:
    play = begun()
    for number in range(1, 25):
        lap(play, number)
    play.prompt("a person", human=True)
    play.prompt_id = "a person"
    assert [lap(play, number) for number in range(24)] == [NOTHING] * 24
    assert lap(play, 25) == STOP


def test_granted_laps_come_first() -> None:
    play = begun()
    play.memory["more_laps"] = 100
    assert {lap(play, number) for number in range(1, 125)} == {NOTHING}
    assert lap(play, 125) == STOP


def test_a_lower_limit_denies() -> None:
    play = begun(attended=True, policy={"limits": {"continuation.laps": [None, None, 2, None]}})
    assert [lap(play, number) for number in range(1, 4)] == [NOTHING, DENY, DENY]
