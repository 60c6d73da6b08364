"""A session recorded from Droid 0.225.2 against a scripted model, and odd lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    USAGE,
    droid,
    session_files,
)
from tests.guard.transcripts.records import DROID, NOON, line, price, stamp

if TYPE_CHECKING:
    from runaway.guard.state import LogState

Event = Any
LOG = DROID / "session.jsonl"
# What the scripted model was asked to bill in all: input, cache read, cache write, output.
BILLED = (2046, 2000, 100, 125)
SUMS = {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 3, "cacheCreationTokens": 4}


def catch_up(log: Path = LOG, memory: LogState | None = None) -> list[Event]:
    memory = {} if memory is None else memory
    return [
        event for _, event, _ in session_files.catch_up(droid, str(log), "s", memory, NOON, price)
    ]


def of(kind: int) -> list[Event]:
    return [event for event in catch_up() if event[KIND] == kind]


def billed(events: list[Event]) -> list[tuple[float, ...]]:
    usages = [event[4] for event in events if event[KIND] == USAGE]
    return [(u.input, u.cache_read, u.cache_write_5m, u.output) for u in usages]


def message(role: str, content: Any, **fields: Any) -> bytes:
    about = {"role": role, "content": content, **fields}
    return line({"type": "message", "id": "m", "timestamp": stamp(0), "message": about})


def told(*lines: bytes, usage_only: bool = False) -> list[Event]:
    return list(droid.events(lines, {}, usage_only))


def test_all_that_was_used_is_billed_to_the_model_behind_the_name() -> None:
    events = catch_up()
    assert billed(events) == [BILLED]
    assert [event[3] for event in events if event[KIND] == USAGE] == ["claude-sonnet-4-6"]


def test_calls_and_their_outcomes() -> None:
    calls = of(CALL)
    assert [(event[3], event[4].get("command")) for event in calls] == [
        ("Execute", "echo hi; exit 3"),
        ("Execute", "echo a"),
        ("Execute", "echo b"),
        ("nosuch", None),
        ("Execute", "denyme"),
        ("Read", None),
        ("Create", None),
    ]
    assert {event[6] for event in calls} == {"/home/u/project"}
    results = of(RESULT)
    assert [event[3] for event in results] == [FAILED, OK, OK, FAILED, NEUTRAL, FAILED, OK]
    assert [event[2] for event in results] == [event[2] for event in calls]


def test_calls_and_results_of_one_response_are_of_one_round() -> None:
    for kind in (CALL, RESULT):
        rounds = [event[5] for event in of(kind)]
        assert rounds[1] == rounds[2]
        assert len(set(rounds)) == 6
    assert [event[5] for event in of(CALL)] == [event[5] for event in of(RESULT)]


def test_the_prompt_is_told_and_what_droid_adds_to_it_is_not() -> None:
    assert [event[3] for event in of(PROMPT)] == [True]


def test_reading_money_only_tells_prompts_and_no_calls() -> None:
    lines = LOG.read_bytes().splitlines()
    assert [event[KIND] for event in told(*lines, usage_only=True)] == [PROMPT]


def write(log: Path, **sums: Any) -> None:
    told = {"model": "custom:gpt-5.4", "tokenUsage": {**SUMS, **sums}}
    log.with_suffix(".settings.json").write_text(json.dumps(told))


def test_of_sums_that_grow_only_the_growth_is_billed(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"")
    memory: Any = {}
    write(log)
    assert billed(catch_up(log, memory)) == [(10, 3, 4, 2)]
    assert billed(catch_up(log, memory)) == []
    write(log, inputTokens=15, outputTokens=1)
    assert billed(catch_up(log, memory)) == [(5, 0, 0, 0)]
    write(log, inputTokens=15, outputTokens=3)
    assert billed(catch_up(log, memory)) == [(0, 0, 0, 1)]


def test_a_log_that_was_rewritten_is_billed_anew_and_not_twice(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    shutil.copyfile(LOG, log)
    shutil.copyfile(DROID / "session.settings.json", log.with_suffix(".settings.json"))
    memory: Any = {}
    catch_up(log, memory)
    whole = dict(memory["account"])["sum"]
    log.write_bytes(LOG.read_bytes()[1000:])
    catch_up(log, memory)
    assert memory["account"]["sum"] == pytest.approx(whole)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"tokenUsage": 1}', '{"tokenUsage": {}}'])
def test_without_sums_nothing_is_billed(tmp_path: Path, text: str) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"")
    assert billed(catch_up(log)) == []
    log.with_suffix(".settings.json").write_text(text)
    assert billed(catch_up(log)) == []


SILENT = "Error: Command failed (exit code: 1)\n\n[Process exited with code 1]"


@pytest.mark.parametrize(
    ("block", "outcome"),
    [
        ({"content": "x"}, OK),
        ({"content": "x", "is_error": False}, OK),
        ({"content": "Error: Command failed", "is_error": True}, FAILED),
        ({"content": [{"type": "text", "text": "Error: no"}], "is_error": True}, FAILED),
        ({"content": "Error: [runaway] the same", "is_error": True}, NEUTRAL),
        ({"content": "Error: Tool execution blocked by hook", "is_error": True}, REFUSED),
        ({"content": SILENT, "is_error": True}, OK),
        ({"content": SILENT.replace("\n\n", "\nhi\n\n\n"), "is_error": True}, FAILED),
        ({"content": SILENT.replace("1", "2"), "is_error": True}, FAILED),
        ({}, OK),
    ],
)
def test_the_outcome_of_a_call(block: dict[str, Any], outcome: str) -> None:
    result = {"type": "tool_result", "tool_use_id": "c", **block}
    assert [event[3] for event in told(message("user", [result]))] == [outcome]


@pytest.mark.parametrize(
    "nothing",
    [
        b"",
        b"{",
        b'{"type":"message"}',
        message("user", [], visibility="user_only", hookEventName="PreToolUse"),
        message("user", [{"type": "text", "text": "x"}], visibility="llm_only"),
        message("assistant", [{"type": "text", "text": "x"}]),
        message("assistant", None),
    ],
)  # fmt: skip
def test_what_is_neither_a_call_nor_a_result_nor_a_prompt(nothing: bytes) -> None:
    assert [event for event in told(nothing) if event[KIND] != PROMPT] == []
    if b"visibility" in nothing or b"assistant" in nothing:
        assert told(nothing) == []
