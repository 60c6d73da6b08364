from __future__ import annotations

from collections.abc import Callable

from runaway.guard.call import OTHER, SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session

Read = Callable[..., tuple[Session, list[Event]]]


def test_the_documented_example_is_read(only_session: Read) -> None:
    session, events = only_session(
        {"type": "prompt", "session": "run-7", "time": "2026-01-02T03:04:05Z"},
        {
            "type": "call",
            "time": 1767323046,
            "id": "c1",
            "tool": "bash",
            "kind": "shell",
            "arguments": {"command": "make"},
            "cwd": "/repo",
            "round": "r1",
        },
        {"type": "result", "id": "c1", "outcome": "failed", "text": "make: no target"},
        {"type": "usage", "id": "r1", "model": "gpt-5.5", "input": 9, "output": 2, "dollars": 0.1},
    )
    assert session[:3] == ("plain", "run-7", "")
    prompt, made, ended, response = events
    assert isinstance(prompt, Prompt)
    assert prompt.human
    assert isinstance(made, CallMade)
    assert made[2:8] == ("bash", SHELL, {"command": "make"}, "/repo", "r1", "")
    assert isinstance(ended, ResultSeen)
    assert (ended.call_id, ended.outcome) == (made.id, "failed")
    assert isinstance(response, Response)
    assert (response.usage.input, response.usage.dollars) == (9, 0.1)


def test_without_times_lines_are_a_second_apart(only_session: Read) -> None:
    _, events = only_session({"type": "prompt"}, {"type": "call", "id": "c1", "tool": "bash"})
    assert [event.time for event in events] == [0.0, 1.0]


def test_ids_need_to_be_unique_in_a_file_only(only_session: Read) -> None:
    made = {"type": "call", "id": "1", "tool": "bash"}
    _, first = only_session({"type": "prompt"}, made, name="a.jsonl")
    _, second = only_session({"type": "prompt"}, made, name="b.jsonl")
    assert {event.id for event in first}.isdisjoint({event.id for event in second})  # type: ignore[union-attr]


def test_unknown_kinds_and_outcomes_are_the_harmless_ones(only_session: Read) -> None:
    _, (made, ended) = only_session(
        {"type": "call", "id": "1", "tool": "x", "kind": "rocket"},
        {"type": "result", "id": "1", "outcome": "great"},
    )
    assert isinstance(made, CallMade)
    assert made.kind == OTHER
    assert isinstance(ended, ResultSeen)
    assert ended.outcome == "ok"
