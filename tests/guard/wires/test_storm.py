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


def crowd(play: Play, count: int, gap: float = 10.0) -> list[int]:
    """One call of each of so many agents, whatever has started them."""
    return [play.call(f"look {n}", agent=f"agent {n}", gap=gap) for n in range(count)]


def test_agents_that_a_tool_starts_by_the_dozen_count_like_calls_that_start_one() -> None:
    """A public case: anthropics/claude-code#79953."""
    seen = crowd(Play(attended=True), 100)
    assert [seen.index(level) + 1 for level in (NOTE, ASK, DENY, STOP)] == [12, 25, 50, 100]


def test_many_agents_within_a_minute_are_asked_about_earlier() -> None:
    seen = crowd(Play(attended=True), 16, gap=1)
    assert seen.index(ASK) + 1 == 16


def test_where_nobody_watches_the_agent_beyond_the_limit_ends_the_turn() -> None:
    seen = crowd(Play(), 30)
    assert seen.index(STOP) + 1 == 25
    assert set(seen[25:]) == {STOP}


def test_an_agent_beyond_the_limit_is_denied_whatever_it_calls_next() -> None:
    play = Play(attended=True)
    crowd(play, 50)
    assert [play.call(f"more {n}", agent="agent 49") for n in range(3)] == [DENY] * 3
    assert play.call("main") == NOTHING
    assert play.call("more", agent="agent 3") == NOTHING


def test_an_agent_that_was_started_by_a_call_counts_once() -> None:
    play = Play(attended=True)
    for number in range(24):
        assert play.call(f"task {number}", tool="Agent", gap=10) in (NOTHING, NOTE)
        assert play.call("look", agent=f"agent {number}", gap=10) in (NOTHING, NOTE)
    assert play.call("task 24", tool="Agent", gap=10) == ASK


def test_agents_from_before_the_prompt_are_not_new() -> None:
    play = Play(attended=True)
    crowd(play, 24)
    play.prompt("p2")
    assert set(crowd(play, 24)) == {NOTHING}
    assert play.call("look", agent="another") == NOTHING


def test_a_yes_lets_as_many_again_pass() -> None:
    play = Play(attended=True)
    assert crowd(play, 25)[-1] == ASK
    play.result(agent="agent 24")
    later = [play.call(f"look {n}", agent=f"later {n}", gap=10) for n in range(25)]
    assert later.index(ASK) + 1 == 25
