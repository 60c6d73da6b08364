"""Turns that nobody began or that a hook kept from ending, as each harness's log tells of them.

The records are those of sessions with a Stop hook that never lets go, cut to what is read.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from runaway.guard.transcripts import KIND, PROMPT, claude, codex, copilot, droid, qwen
from tests.guard.transcripts.records import line, stamp


def humans(reader: ModuleType, *records: dict[str, Any]) -> list[bool]:
    """Of each prompt: did a person write it?"""
    lines = [line({"timestamp": stamp(at), **one}) for at, one in enumerate(records)]
    return [event[3] for event in reader.events(lines, {}) if event[KIND] == PROMPT]


def codex_event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **payload}}


def codex_item(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, **payload}}


STARTED = codex_event("task_started", turn_id="t1")
SPOKEN = codex_event("item_completed", turn_id="t1", item={"type": "UserMessage", "id": "u"})
MADE = codex_item("function_call", name="exec_command", arguments="{}", call_id="c")
HOOKED = [{"type": "input_text", "text": '<hook_prompt hook_run_id="stop:3">go on</hook_prompt>'}]
STOP_HOOK = codex_item("message", role="user", content=HOOKED)
COMPACTED = {"type": "compacted", "payload": {"message": "summary"}}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([STARTED, SPOKEN, MADE], [True]),
        ([STARTED, SPOKEN, MADE, STOP_HOOK, MADE, STOP_HOOK], [True, False, False]),
        ([STARTED, SPOKEN, MADE, STARTED, MADE, MADE], [True, False]),
        ([STARTED], []),
        ([STARTED, SPOKEN, COMPACTED, MADE, MADE, MADE, COMPACTED], [True]),
        ([STARTED, SPOKEN, COMPACTED, MADE, COMPACTED], [True, False]),
    ],
    ids=["a person", "a Stop hook", "a goal", "no call", "compaction", "compaction without work"],
)
def test_codex(records: list[dict[str, Any]], expected: list[bool]) -> None:
    assert humans(codex, *records) == expected


def boundary(trigger: str) -> dict[str, Any]:
    about = {"trigger": trigger, "preTokens": 155031}
    return {"type": "system", "subtype": "compact_boundary", "compactMetadata": about}


WORK = {
    "type": "assistant",
    "message": {"id": "m", "content": [{"type": "tool_use", "id": "t", "name": "Read"}]},
}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([boundary("auto")], []),
        ([boundary("auto"), WORK, WORK, WORK, boundary("auto")], []),
        ([boundary("auto"), WORK, boundary("auto"), boundary("auto")], [False, False]),
        ([boundary("manual"), boundary("manual")], []),
    ],
    ids=["the first", "after work", "without work", "by a person"],
)
def test_compactions_of_claude_code(records: list[dict[str, Any]], expected: list[bool]) -> None:
    assert humans(claude, *records) == expected


def copilot_message(content: str) -> dict[str, Any]:
    return {"type": "user.message", "data": {"messageId": content, "content": content}}


def test_copilot() -> None:
    output = {"decision": "block", "reason": "go on\n"}
    ended = {"type": "hook.end", "data": {"hookType": "agentStop", "output": output}}
    own, hooks = copilot_message("go"), copilot_message("go on")
    assert humans(copilot, own, ended, hooks, ended, hooks, own) == [True, False, False, True]
    assert humans(copilot, own, ended, own, hooks) == [True, True, False], "one was queued before"
    assert humans(copilot, hooks) == [True]


def droid_message(**message: Any) -> dict[str, Any]:
    return {"type": "message", "id": "m", "message": {"role": "user", "content": [], **message}}


@pytest.mark.parametrize(
    ("run", "human"),
    [
        ({"exitCode": 0, "stdout": '{"decision": "block", "reason": "go on"}'}, False),
        ({"exitCode": 2, "stderr": "go on"}, False),
        ({"exitCode": 0, "stdout": ""}, True),
    ],
)
def test_droid(run: dict[str, Any], human: bool) -> None:
    spoken = droid_message(content=[{"type": "text", "text": "go"}])
    stop = droid_message(visibility="user_only", hookEventName="Stop", hookResults=[run])
    assert humans(droid, spoken, stop, spoken, spoken) == [True, human, True]


@pytest.mark.parametrize("subtype", qwen.UNASKED)
def test_qwen(subtype: str) -> None:
    message = {"uuid": "u", "type": "user", "message": {"role": "user", "parts": []}}
    assert humans(qwen, {**message, "subtype": subtype}) == [False]
    assert humans(qwen, message, {**message, "subtype": "mid_turn_user_message"}) == []
    assert humans(qwen, {**message, "subtype": subtype, "agentId": "a"}) == []
