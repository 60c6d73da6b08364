"""Sessions recorded from Copilot CLI 1.0.102 against a scripted model, and odd lines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from runaway.guard.outcomes import shared
from runaway.guard.transcripts import (
    CALL,
    FAILED,
    KIND,
    NEUTRAL,
    OK,
    PROMPT,
    REFUSED,
    REPORTED_TOTAL,
    RESULT,
    USAGE,
    copilot,
    session_files,
)
from tests.guard.transcripts.records import COPILOT, NOON, line, price, stamp

if TYPE_CHECKING:
    from runaway.guard.state import LogState

Event = Any

# What the scripted model was asked to bill: (input, cache read, cache write, output).
ORACLE = {
    "plain": [
        (800, 200, 0, 50),
        (500, 900, 100, 60),
        (700, 900, 0, 5),
        (10, 0, 0, 1),
        (11, 0, 0, 2),
        (12, 0, 0, 3),
        (13, 0, 0, 4),
    ],
    "subagents": [(1000, 0, 0, 1), (2000, 0, 0, 2), (3000, 0, 0, 3), *[(10, 0, 0, 1)] * 3],
    "autopilot": [(100, 0, 0, 7)] * 4,
}


def log(name: str) -> Path:
    return COPILOT / name / "events.jsonl"


def catch_up(name: str, memory: LogState | None = None) -> list[tuple[str, Event]]:
    memory = {} if memory is None else memory
    told = session_files.catch_up(copilot, str(log(name)), "s", memory, NOON, price)
    return [(agent, event) for agent, event, _ in told]


def of(name: str, kind: int) -> list[Event]:
    return [event for _, event in catch_up(name) if event[KIND] == kind]


def billed(events: Iterable[Event]) -> list[tuple[float, ...]]:
    usages = [event[4] for event in events if event[KIND] == USAGE]
    return [(u.input, u.cache_read, u.cache_write_5m, u.output) for u in usages]


def record(kind: str, data: Any, **fields: Any) -> bytes:
    return line({"type": kind, "data": data, "timestamp": stamp(0), **fields})


def told(*lines: bytes, usage_only: bool = False) -> list[Event]:
    return list(copilot.events(lines, {}, usage_only))


@pytest.mark.parametrize("name", ORACLE)
def test_every_response_of_a_session_is_counted_once(name: str) -> None:
    assert billed(event for _, event in catch_up(name)) == ORACLE[name]


def test_reading_money_only_tells_the_same_money_and_prompts() -> None:
    lines = log("plain").read_bytes().splitlines()
    short = told(*lines, usage_only=True)
    assert billed(short) == ORACLE["plain"]
    assert {event[KIND] for event in short} == {USAGE, PROMPT}


def test_calls_stand_in_the_words_of_the_hook_with_their_outcome() -> None:
    calls = of("plain", CALL)
    assert [(event[3], event[4]) for event in calls] == [
        ("Bash", {"command": "echo hi; exit 3", "description": "d"}),
        ("Bash", {"command": "echo a", "description": "d"}),
        ("Bash", {"command": "echo b", "description": "d"}),
        ("nosuch", {"a": 1}),
        ("Bash", {"command": "denyme", "description": "d"}),
        ("Read", {"path": "/nonexistent"}),
        ("Write", {"path": "/home/u/project/x.txt", "file_text": "hi"}),
    ]
    assert {event[6] for event in calls} == {"/home/u/project"}
    outcomes = {event[2]: event[3] for event in of("plain", RESULT)}
    assert [outcomes[event[2]] for event in calls] == [
        FAILED,
        OK,
        OK,
        FAILED,
        NEUTRAL,
        REFUSED,
        OK,
    ]


def test_results_of_one_response_are_of_one_round() -> None:
    rounds = [event[5] for event in of("plain", RESULT)]
    assert rounds[1] == rounds[2]
    assert len(set(rounds)) == len(rounds) - 1


def test_events_in_one_file_are_told_as_those_of_their_agents() -> None:
    first, second = (event[2] for event in of("subagents", CALL)[:2])
    by_agent = {event[2]: agent for agent, event in catch_up("subagents") if event[KIND] == RESULT}
    assert len(set(by_agent.values())) == 3
    assert by_agent[first] == ""
    assert "" not in {agent for call, agent in by_agent.items() if call != first}
    assert by_agent[second]


def test_a_log_that_is_read_piece_by_piece_tells_the_same(tmp_path: Path) -> None:
    whole = log("subagents").read_bytes()
    copy = tmp_path / "events.jsonl"
    seen: list[tuple[str, Event, float]] = []
    memory: Any = {}
    for end in (*range(0, len(whole), 5000), len(whole)):
        copy.write_bytes(whole[:end])
        seen += list(session_files.catch_up(copilot, str(copy), "s", memory, NOON, price))
    assert [(agent, event[2]) for agent, event, _ in seen] == [
        (agent, event[2]) for agent, event in catch_up("subagents")
    ]


@pytest.mark.parametrize(
    ("name", "humans"), [("plain", [True]), ("subagents", [True]), ("autopilot", [True, False, False])]
)  # fmt: skip
def test_a_person_wrote_the_first_prompt_only(name: str, humans: list[bool]) -> None:
    assert [event[3] for event in of(name, PROMPT)] == humans


def test_a_patch_comes_as_a_bare_text() -> None:
    [(_, _, _, tool, arguments, _, _)] = of("autopilot", CALL)
    assert tool == "Edit"
    assert arguments.startswith("*** Begin Patch")


def error(message: str) -> dict[str, Any]:
    return {"success": False, "error": {"message": message, "code": "denied"}}


def exited(code: int, content: str) -> dict[str, Any]:
    shell = {"exitCode": code}
    return {"success": True, "shellExecution": shell, "result": {"content": content}}


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        ({"success": True, "result": {"content": "x"}}, OK),
        ({"success": True, "shellExecution": {"exitCode": 0}}, OK),
        ({"success": True, "shellExecution": {"exitCode": 2}}, FAILED),
        (exited(1, "hi\n<shellId: 4 completed with exit code 1>"), FAILED),
        (exited(1, "<shellId: 4 completed with exit code 1>"), OK),
        ({"success": True, "shellExecution": None, "result": None}, OK),
        ({"success": False, "error": {"message": "no", "code": "failure"}}, FAILED),
        ({"success": False, "error": {"message": "no"}}, FAILED),
        (error("Permission to run this tool was denied due to the following rules"), REFUSED),
        (error("Denied by preToolUse hook: hook exited with code 2"), REFUSED),
        (error("Denied by preToolUse hook: [runaway] the same call"), NEUTRAL),
        ({"success": False, "error": {"message": "no", "code": "rejected"}}, NEUTRAL),
        ({"success": False}, FAILED),
        ({}, FAILED),
    ],
)
def test_the_outcome_of_a_call(data: dict[str, Any], outcome: str) -> None:
    [event] = told(record("tool.execution_complete", {"toolCallId": "c", **data}))
    assert event[3] == outcome


def test_results_that_differ_only_in_the_number_of_the_shell_are_equal() -> None:
    one, other = (
        told(record("tool.execution_complete", {"success": True, "result": {"content": said}}))
        for said in (
            "hi\n<shellId: 1 completed with exit code 0>",
            "hi\n<shellId: 12 completed with exit code 0>",
        )
    )
    assert shared(one[0][4]) == shared(other[0][4])


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"{",
        b'{"type":"session.usage_record"}',
        record("tool.execution_start", {"toolCallId": "c", "toolName": "bash"}),
        record("hook.start", {"hookType": "postToolUse", "input": {}}),
        record("hook.start", {"hookType": "preToolUse", "input": {"toolCalls": {"id": 1}}}),
        record("user.message", {"messageId": "m"}, agentId="a"),
    ],
)
def test_what_tells_nothing_costs_nothing_and_hides_nothing(bad: bytes) -> None:
    good = record("session.usage_record", {"usage": {"inputTokens": 5, "outputTokens": 1}})
    assert billed(told(bad, good))[-1:] == [(5, 0, 0, 1)]
    assert not any(sum(counts) for counts in billed(told(bad)))


def test_the_input_is_never_less_than_nothing() -> None:
    usage = {"inputTokens": 5, "cacheReadTokens": 9, "outputTokens": 1}
    assert billed(told(record("session.usage_record", {"usage": usage}))) == [(0, 9, 0, 1)]


@pytest.mark.parametrize("kind", ["session.usage_checkpoint", "session.shutdown"])
def test_what_github_bills_is_the_sessions_total(kind: str) -> None:
    [event] = told(record(kind, {"totalNanoAiu": 1_234_000_000_00}))
    assert (event[KIND], event[2]) == (REPORTED_TOTAL, pytest.approx(1.234))


@pytest.mark.parametrize("units", [None, True, 0, -5, "7", 1e30, float("nan")])
def test_what_is_no_bill_is_no_total(units: object) -> None:
    assert told(record("session.usage_checkpoint", {"totalNanoAiu": units})) == []
