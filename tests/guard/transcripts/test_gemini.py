"""Sessions recorded from Gemini CLI 0.61 against a scripted model, and odd lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runaway.guard.transcripts import (
    CALL,
    FAILED,
    KIND,
    NEUTRAL,
    OK,
    PROMPT,
    REFUSED,
    RESULT,
    TIME,
    USAGE,
    accounts,
    gemini,
    session_files,
)
from tests.guard.transcripts.records import GEMINI, NOON, line, plain, price, stamp

Event = Any

# What the scripted model was asked to bill, (input, cache read, output): the subagents' first.
ORACLE = {
    "resumed": [*((810 + 10 * n, 200, 51 + n) for n in range(6)), (810, 200, 51), (820, 200, 52)],
    "denied": [(810 + 10 * n, 200, 51 + n) for n in range(4)],
    "stopped": [(810, 200, 51)],
    "own-loop-detection": [(810 + 10 * n, 200, 51 + n) for n in range(4)],  # of 6: it cut two short
    "subagent": [
        *((820 + 10 * n, 200, 52 + n) for n in range(3)),
        *((n, 200, out) for n, out in ((810, 51), (850, 55), (860, 56))),
    ],
}


def transcript(name: str) -> Path:
    [path] = (GEMINI / f"0.61-{name}").glob("session-*.jsonl")
    return path


def session_of(path: Path) -> str:
    """The log's name has the first eight digits; a folder of subagents has it all."""
    return next((each.name for each in path.parent.iterdir() if each.is_dir()), path.stem[-8:])


def catch_up(name: str) -> list[tuple[str, Event, float]]:
    path = transcript(name)
    return list(session_files.catch_up(gemini, str(path), session_of(path), {}, NOON, price))


def told_of(name: str, kind: int) -> list[Event]:
    return [event for _, event, _ in catch_up(name) if event[KIND] == kind]


def told(*records: dict[str, Any], usage_only: bool = False) -> list[Event]:
    return list(gemini.events(map(line, records), {}, usage_only))


def response(identity: str = "m1", *calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    tokens = {"input": 1200, "output": 30, "cached": 200, "thoughts": 4, "tool": 7, "total": 1441}
    return {
        "id": identity,
        "timestamp": stamp(1),
        "type": "gemini",
        "content": "",
        "tokens": tokens,
        "model": "gemini-2.5-flash",
        "toolCalls": list(calls),
        **fields,
    }


def call(
    status: str, output: str = "", tool: str = "run_shell_command", **said: Any
) -> dict[str, Any]:
    part = {"functionResponse": {"response": said or {"output": output}}}
    return {"id": "c1", "name": tool, "args": {"command": "make"}, "status": status,
            "timestamp": stamp(2), "result": [part]}  # fmt: skip


def outcome(made: dict[str, Any]) -> str:
    [result] = [event for event in told(response("m1", made)) if event[KIND] == RESULT]
    return str(result[3])


@pytest.mark.parametrize("name", ORACLE)
def test_every_response_of_a_session_is_counted_once(name: str) -> None:
    largest = {event[2]: event[4] for event in told_of(name, USAGE)}
    billed = [(used.input, used.cache_read, used.output) for used in largest.values()]
    assert sorted(billed) == sorted(ORACLE[name])


@pytest.mark.parametrize("name", ORACLE)
def test_its_dollars_are_those_of_the_responses(name: str) -> None:
    memory: Any = {}
    path = transcript(name)
    list(session_files.catch_up(gemini, str(path), session_of(path), memory, NOON, price))
    expected = sum(0.3 * into + 0.03 * read + 2.5 * out for into, read, out in ORACLE[name]) / 1e6
    assert accounts.total(memory["account"]) == pytest.approx(expected)


def test_read_line_by_line_it_tells_the_same_and_no_call_twice() -> None:
    memory: Any = {}
    events = [
        event
        for each in transcript("resumed").read_bytes().split(b"\n")
        for event in gemini.events([each], memory)
    ]
    assert list(map(plain, events)) == [plain(event) for _, event, _ in catch_up("resumed")]
    calls = [event[2] for event in events if event[KIND] == CALL]
    assert len(calls) == len(set(calls)) == 9


def test_calls_stand_in_the_words_of_the_hook_with_outcome_and_round() -> None:
    calls = [(event[3], event[4]) for event in told_of("resumed", CALL)]
    assert calls[:3] == [
        ("run_shell_command", {"command": "echo a", "description": "first"}),
        ("run_shell_command", {"command": "echo b"}),
        ("run_shell_command", {"command": "exit 3"}),
    ]
    outcomes = [event[3] for event in told_of("resumed", RESULT)]
    assert outcomes == [OK, OK, FAILED, FAILED, FAILED, OK, OK, FAILED, OK]
    rounds = [event[5] for event in told_of("resumed", RESULT)]
    assert [rounds.count(each) for each in dict.fromkeys(rounds)] == [3, 1, 2, 1, 1, 1]


def test_denials_of_a_hook_are_no_failures() -> None:
    assert [event[3] for event in told_of("denied", RESULT)] == [NEUTRAL] * 3
    assert [event[3] for event in told_of("stopped", RESULT)] == [NEUTRAL]


def test_what_the_harness_says_itself_is_no_prompt() -> None:
    assert not told_of("own-loop-detection", PROMPT)


def test_a_subagent_is_named_by_its_log() -> None:
    agents = [agent for agent, event, _ in catch_up("subagent") if event[KIND] == CALL]
    [sub] = (path.stem for path in transcript("subagent").parent.glob("*/*.jsonl"))
    assert agents == [sub] * 3 + [""] * 2


def test_where_a_long_past_is_read_only_money_is_told() -> None:
    lines = transcript("resumed").read_bytes().split(b"\n")
    kinds = {event[KIND] for event in gemini.events(lines, {}, usage_only=True)}
    assert kinds == {USAGE}


def test_what_is_read_from_the_cache_counts_once_and_thoughts_are_output() -> None:
    [usage] = told(response())
    used = usage[4]
    assert (used.input, used.cache_read, used.output) == (1007, 200, 34)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("success", "fine"), OK),
        (call("success", "Output: x\nExit Code: 3\nProcess Group PGID: 7"), FAILED),
        (call("success", "Exit Code: 3\n" + "x" * 999), OK),
        (call("success", "Output: (empty)\nExit Code: 0\nProcess Group PGID: 7"), OK),
        (call("success", "boom\nExit Code: 3", tool="read_file"), OK),
        (call("error", error="File not found."), FAILED),
        (call("error"), FAILED),
        (call("cancelled", error="[Operation Cancelled] Reason: User denied execution."), NEUTRAL),
        (call("success", "Command was cancelled by user before it could complete."), NEUTRAL),
        (call("error", error="Tool execution blocked: not today"), REFUSED),
        (call("error", error="Tool execution blocked: [runaway] the same"), NEUTRAL),
        (call("error", error="Tool execution denied by policy."), REFUSED),
        (call("success", "Output: (empty)\nExit Code: 1\nProcess Group PGID: 7"), OK),
        (call("success", "Output: (empty)\nError: (none)\nExit Code: 1\nSignal: (none)"), OK),
        (call("success", "Output: (empty)\nExit Code: 2"), FAILED),
        (call("success", "Output: hi\nExit Code: 1"), FAILED),
        (call("success", "Output: (empty)\nError: no such file\nExit Code: 1"), FAILED),
    ],
)
def test_the_outcome_of_a_call(made: dict[str, Any], expected: str) -> None:
    assert outcome(made) == expected


def test_a_line_without_a_time_has_that_of_the_one_before() -> None:
    events = told(response("m1"), response("m2", timestamp=None))
    assert [event[TIME] for event in events] == [NOON + 1, NOON + 1]


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "content": [{"text": '"gemini"'}]},
        {"$set": {"messages": [response()]}},
        {"$rewindTo": "m1"},
        response(tokens=None),
        response(tokens=[], toolCalls=[None, 1]),
        response(tokens=None, toolCalls={"a": 1}),
    ],
)
def test_other_lines_tell_nothing(record: dict[str, Any]) -> None:
    assert not told(record)


@pytest.mark.parametrize("session", ["", "gone", "../..", "a\0b"])
def test_without_a_folder_of_subagents_there_is_one_log(tmp_path: Path, session: str) -> None:
    path = str(tmp_path / "empty" / "session-1.jsonl")
    assert gemini.files(path, session, {}) == [("", path)]
