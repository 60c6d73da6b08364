from __future__ import annotations

from runaway.guard.call import ASK, DENY, NOTE, NOTHING, STOP
from tests.support.guard import Play


def spawn(play: Play, count: int, gap: float = 10.0, agent: str = "") -> list[int]:
    return [play.call(f"task {n}", tool="Agent", gap=gap, agent=agent) for n in range(count)]


def test_subagents_since_the_prompt_climb_the_ladder() -> None:
    seen = spawn(Play(attended=True), 100)
    assert seen[11] == NOTE
    assert [seen.index(level) + 1 for level in (NOTE, ASK, DENY, STOP)] == [12, 25, 50, 100]


def test_many_subagents_within_a_minute_are_asked_about_earlier() -> None:
    seen = spawn(Play(attended=True), 16, gap=1)
    assert seen.index(ASK) + 1 == 16


def test_subagents_that_start_subagents_are_asked_about_soon() -> None:
    seen = spawn(Play(attended=True), 4, agent="child")
    assert seen == [NOTHING] * 3 + [ASK]


def test_web_calls_have_limits_of_their_own() -> None:
    play = Play(attended=True)
    seen = [play.call(f"query {n}", tool="WebSearch") for n in range(150)]
    assert seen.index(ASK) + 1 == 150


def test_a_new_prompt_clears_the_storm() -> None:
    play = Play(attended=True)
    spawn(play, 24)
    play.prompt_id = "p2"
    assert spawn(play, 11) == [NOTHING] * 11


def test_other_calls_go_on_during_a_storm() -> None:
    play = Play(attended=True)
    spawn(play, 60)
    assert play.call("ls") == NOTHING
