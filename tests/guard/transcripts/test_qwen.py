"""Sessions recorded from Qwen Code 0.24 against a scripted model, and odd lines."""

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
    REFUSED,
    RESULT,
    USAGE,
    qwen,
    session_files,
)
from tests.guard.transcripts.records import NOON, QWEN, line, plain, price, stamp

Event = Any

# What the scripted model was asked to bill, (input, cache read, output): all agents in one file.
ORACLE = {
    "plain": [(810 + 10 * n, 200, 51 + n) for n in range(4)],
    "denied": [(810 + 10 * n, 200, 51 + n) for n in range(3)],
    "subagent": [(810 + 10 * n, 200, 51 + n) for n in range(5)],
}


def transcript(name: str) -> Path:
    [path] = (QWEN / f"0.24-{name}" / "chats").iterdir()
    return path


def catch_up(name: str) -> list[tuple[str, Event, float]]:
    path = transcript(name)
    return list(session_files.catch_up(qwen, str(path), path.stem, {}, NOON, price))


def told_of(name: str, kind: int) -> list[Event]:
    return [event for _, event, _ in catch_up(name) if event[KIND] == kind]


def told(*records: dict[str, Any]) -> list[Event]:
    return list(qwen.events(map(line, records), {}))


@pytest.mark.parametrize("name", ORACLE)
def test_every_response_of_a_session_is_counted_once(name: str) -> None:
    billed = [(u.input, u.cache_read, u.output) for u in (e[4] for e in told_of(name, USAGE))]
    assert billed == ORACLE[name]
    assert len({event[2] for event in told_of(name, USAGE)}) == len(billed)


def test_calls_stand_in_the_words_of_the_hook_with_outcome_and_round() -> None:
    calls = told_of("plain", CALL)
    shell = {"description": "x", "is_background": False}
    assert [(event[3], event[4]) for event in calls] == [
        ("run_shell_command", {"command": "echo a", **shell}),
        ("run_shell_command", {"command": "echo b", **shell}),
        ("run_shell_command", {"command": "exit 3", **shell}),
        ("nope", {"x": 1}),
        ("read_file", {"file_path": "/home/u/project/gone"}),
    ]
    results = told_of("plain", RESULT)
    assert [event[3] for event in results] == [OK, OK, FAILED, FAILED, FAILED]
    assert [event[2] for event in results] == [event[2] for event in calls]
    assert len({event[5] for event in results}) == 3


def test_denials_of_a_hook_are_no_failures() -> None:
    assert [event[3] for event in told_of("denied", RESULT)] == [NEUTRAL] * 2


def test_a_subagent_is_named_as_its_hooks_name_it() -> None:
    agents = {agent for agent, event, _ in catch_up("subagent") if event[KIND] == CALL}
    assert agents == {"", "general-purpose-toolu_46d2eab4462a43e4916aadd6"}


def test_read_line_by_line_it_tells_the_same() -> None:
    memory: Any = {}
    lines = transcript("plain").read_bytes().split(b"\n")
    events = [event for each in lines for event in qwen.events([each], memory)]
    assert list(map(plain, events)) == [plain(event) for _, event, _ in catch_up("plain")]


def test_where_a_long_past_is_read_only_money_is_told() -> None:
    lines = transcript("plain").read_bytes().split(b"\n")
    assert {event[KIND] for event in qwen.events(lines, {}, usage_only=True)} == {USAGE}


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        ({"status": "success"}, OK),
        ({"status": "success", "resultDisplay": {"exitCode": 0}}, OK),
        ({"status": "success", "resultDisplay": {"exitCode": 3}}, FAILED),
        ({"status": "success", "resultDisplay": "text"}, OK),
        ({"status": "error"}, FAILED),
        ({"status": "error", "errorType": "execution_denied"}, REFUSED),
        ({"status": "error", "errorType": "cancelled"}, NEUTRAL),
        ({"status": "success", "resultDisplay": {"exitCode": 1}}, FAILED),
        ({"status": "cancelled"}, NEUTRAL),
    ],
)
def test_the_outcome_of_a_call(ended: dict[str, Any], outcome: str) -> None:
    record = {"type": "tool_result", "timestamp": stamp(1), "toolCallResult": ended}
    [event] = told(record)
    assert event[3] == outcome


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "provenance": "real_user", "message": {"parts": [{"text": "go"}]}},
        {"type": "system", "subtype": "ui_telemetry"},
        {"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": 5}},
        {"type": "assistant", "message": {"parts": [None, {"text": "x"}]}},
        {"type": "x", "message": "tool_result"},
    ],
)
def test_other_lines_tell_nothing(record: dict[str, Any]) -> None:
    assert not told(record)


@pytest.mark.parametrize("path", ["", "/home/u/session.jsonl", "/p/chats/s.jsonl"])
def test_without_a_folder_of_subagents_there_is_one_log(path: str) -> None:
    assert qwen.files(path, "s", {}) == [("", path)]
