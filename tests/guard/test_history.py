from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runaway.guard.call import OTHER, SHELL, SPAWN, WEB, Call
from runaway.guard.fastjson import dumps, loads
from runaway.guard.history import (
    ID,
    KEY,
    LEVEL,
    OUTCOME,
    STREAK,
    agent_named,
    agent_state,
    find,
    key_of,
    new_prompt,
    record_call,
)
from runaway.guard.outcomes import NEVER_RAN
from runaway.guard.policy import AGENTS, HISTORY
from tests.support.guard import Play

if TYPE_CHECKING:
    from runaway.guard.state import CallRecord


def call(
    what: Any = "ls", *, kind: str = SHELL, id: str = "t", cwd: str = "/a", **more: Any
) -> Call:
    return Call("claude", "s", tool="Bash", kind=kind, arguments=what, id=id, cwd=cwd, **more)


def remembered(*calls: Call) -> list[CallRecord]:
    memory: Any = {}
    return [record_call(memory, agent_state(memory, one, 1.0), one, 1.0) for one in calls]


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (call(), call(id="other"), True),
        (call({"a": 1, "b": 2}), call({"b": 2, "a": 1}), True),
        (call({"a": 1}), call({"a": "1"}), False),
        (call({"a": 1}), call({"a": True}), False),
        (call(), call(cwd="/b"), False),
        (call(kind=OTHER), call(kind=OTHER, cwd="/b"), True),
        (call("\ud83d"), call("\ud83d"), True),
        (call("é"), call("e\u0301"), False),
    ],
)
def test_calls_are_equal_by_what_they_do(first: Call, second: Call, equal: bool) -> None:
    one, other = remembered(first, second)
    assert (one[KEY] == other[KEY]) == equal
    assert other[STREAK] == 1 + equal


def test_what_is_nested_too_deep_to_be_written_is_a_call_all_the_same() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert key_of("Bash", SHELL, deep, "/a") != key_of("Edit", SHELL, deep, "/a")


def test_a_call_is_found_again_by_its_id_and_only_by_it() -> None:
    memory: Any = {}
    agent = agent_state(memory, call(), 1.0)
    record = record_call(memory, agent, call(id="one"), 1.0)
    record_call(memory, agent, call(id=""), 1.0)
    assert find(agent, call(id="one").identity) is record
    assert find(agent, call(id="two").identity) is None
    assert find(agent, "") is None
    assert record[ID] == call(id="one").identity


def test_only_the_last_calls_and_agents_are_kept() -> None:
    memory: Any = {}
    for number in range(HISTORY + 10):
        agent = agent_state(memory, call(), float(number))
        record_call(memory, agent, call(str(number), id=str(number)), float(number))
    assert len(agent["calls"]) == HISTORY
    assert agent["count"] == HISTORY + 10
    for number in range(AGENTS + 5):
        agent_named(memory, f"a{number}", 100.0 + number)
    assert set(memory["agents"]) == {f"a{number}" for number in range(5, AGENTS + 5)}


def test_a_row_goes_on_past_calls_that_were_denied_or_never_ran() -> None:
    memory: Any = {}
    agent = agent_state(memory, call(), 1.0)
    record_call(memory, agent, call("a"), 1.0)
    record_call(memory, agent, call("b"), 1.0)[LEVEL] = 3
    record_call(memory, agent, call("c"), 1.0)[OUTCOME] = NEVER_RAN
    assert record_call(memory, agent, call("a"), 1.0)[STREAK] == 2
    record_call(memory, agent, call("d"), 1.0)
    assert record_call(memory, agent, call("a"), 1.0)[STREAK] == 1


def test_arguments_that_are_hidden_make_no_row() -> None:
    rows = [record[STREAK] for record in remembered(*[call(partial=True)] * 5)]
    assert max(rows) <= 1


def test_a_person_who_speaks_clears_everything_but_money() -> None:
    play = Play()
    play.memory.update(granted={"loop:x": 2, "spend.session:": 4}, asked={"x": "spend.session:"})
    play.call(tool="Agent")
    play.call(tool="WebSearch")
    play.memory["spend"] = {"total": 3}
    assert play.memory["storm"] == {"spawned": 1, "times": [1001.0], "web": 1}
    new_prompt(play.memory, "p2")
    assert play.memory["granted"] == {"spend.session:": 4}
    assert play.memory["spend"] == {"total": 3}
    cleared = {name: play.memory[name] for name in ("agents", "storm", "tripped")}
    assert not any(cleared.values())
    assert play.memory["asked"], "its answer may still be on the way"


def test_the_prompt_of_the_hook_counts_only_until_there_is_a_log() -> None:
    memory: Any = {}
    agent_state(memory, call(prompt="p1"), 1.0)["count"] = 5
    assert agent_state(memory, call(prompt="p1"), 1.0)["count"] == 5
    assert agent_state(memory, call(prompt="p2"), 1.0)["count"] == 0
    memory["logs"] = {"files": {"": [1]}}
    agent_state(memory, call(prompt="p2"), 1.0)["count"] = 5
    assert agent_state(memory, call(prompt="p3"), 1.0)["count"] == 5


@pytest.mark.parametrize("kind", [SPAWN, WEB, SHELL, OTHER])
def test_the_memory_survives_being_stored(kind: str) -> None:
    memory: Any = {}
    for number in range(60):
        one = call(str(number % 3), kind=kind, id=str(number), agent="a" * (number % 2))
        record_call(memory, agent_state(memory, one, float(number)), one, float(number))
    assert loads(dumps(memory)) == memory
