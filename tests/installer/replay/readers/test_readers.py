"""What must hold for every format: nothing in a log can stop the replay of the others."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.replay.events import CallMade, Prompt, Response, ResultSeen
from runaway.installer.replay.readers import sessions

TIME = "2026-01-02T03:04:05.000Z"
USAGE = {
    "input_tokens": 5,
    "cached_input_tokens": 1,
    "output_tokens": 2,
    "cache_creation": {"ephemeral_1h_input_tokens": 1},
    "server_tool_use": {"web_search_requests": 1},
}
TOTALS = {"total_token_usage": USAGE, "last_token_usage": USAGE}


def claude(type: str, content: Any, /, **message: Any) -> dict[str, Any]:
    about = {"role": type, "content": content, **message}
    common = {
        "sessionId": "s",
        "uuid": "u",
        "timestamp": TIME,
        "cwd": "/",
        "origin": {"kind": "human"},
    }
    return {"type": type, "message": about, **common}


def codex(type: str, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": TIME, "type": type, "payload": payload}


def copilot(type: str, /, **data: Any) -> dict[str, Any]:
    return {"type": type, "data": data, "id": "e", "timestamp": TIME}


def droid(role: str, *content: Any) -> dict[str, Any]:
    message = {"role": role, "content": content}
    return {"type": "message", "id": "m", "timestamp": TIME, "message": message}


def qwen(type: str, *parts: Any, **more: Any) -> dict[str, Any]:
    about = {"uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": TIME, "cwd": "/"}
    return {**about, "type": type, "message": {"parts": parts}, **more}


def pi(**message: Any) -> dict[str, Any]:
    return {"type": "message", "id": "m", "timestamp": TIME, "message": message}


# One line of each kind that tells something; the first one is how the log begins.
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "claude": [
        claude("user", "Go."),
        claude(
            "assistant",
            [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "a"}}],
            id="m",
            model="claude-opus-4-5",
            usage=USAGE,
        ),
        claude("user", [{"type": "tool_result", "tool_use_id": "1", "content": [{"text": "x"}]}]),
        {
            "type": "progress",
            "data": {"type": "agent_progress", "agentId": "a", "message": claude("user", "x")},
        },
    ],
    "codex": [
        codex("session_meta", id="t", source={"subagent": {"thread_spawn": {"depth": 1}}}),
        codex("turn_context", turn_id="1", model="gpt-5.5", cwd="/"),
        codex("event_msg", type="user_message", message="Go."),
        codex(
            "response_item", type="function_call", name="exec_command", call_id="1", arguments="{}"
        ),
        codex("response_item", type="function_call_output", call_id="1", output=[{"text": "x"}]),
        codex("event_msg", type="token_count", info=TOTALS),
        codex("token_usage_record", response_id="r", usage=USAGE),
        codex(
            "event_msg", type="item_completed", item={"type": "CommandExecution", "id": "exec-1"}
        ),
    ],
    "copilot": [
        copilot("session.start", sessionId="s", context={"cwd": "/"}),
        copilot("user.message", content="Go."),
        copilot("hook.start", hookType="preToolUse", input={"toolCalls": [{"id": "1"}]}),
        copilot("tool.execution_start", toolCallId="1", toolName="bash", arguments={}),
        copilot("tool.execution_complete", toolCallId="1", success=True, result={"content": "x"}),
        copilot("session.usage_record", usage={"model": "gpt-5.4", "inputTokens": 5}),
    ],
    "droid": [
        {"type": "session_start", "id": "s", "cwd": "/"},
        droid("user", {"type": "text", "text": "Go."}),
        droid("assistant", {"type": "tool_use", "id": "1", "name": "Execute", "input": {}}),
        droid("user", {"type": "tool_result", "tool_use_id": "1", "content": "x"}),
    ],
    "qwen": [
        qwen("user", {"text": "Go."}),
        qwen("assistant", {"functionCall": {"id": "1", "name": "run_shell_command", "args": {}}}),
        qwen("tool_result", toolCallResult={"callId": "1", "status": "success"}),
        qwen("system", systemPayload={"uiEvent": {"event.name": "qwen-code.api_response"}}),
    ],
    "gemini": [
        {"sessionId": "s", "projectHash": "p"},
        {"id": "1", "timestamp": TIME, "type": "user", "content": "Go."},
        {
            "id": "2",
            "timestamp": TIME,
            "type": "gemini",
            "tokens": {"input": 5},
            "toolCalls": [
                {
                    "id": "c",
                    "name": "run_shell_command",
                    "status": "success",
                    "result": [{"functionResponse": {"response": {"output": "x"}}}],
                }
            ],
        },
        {"$set": {"messages": []}},
    ],
    "opencode": [
        {
            "info": {"id": "ses_1"},
            "messages": [
                {"info": {"role": "user", "time": {"created": 1}, "id": "1"}, "parts": [{}]},
                {
                    "info": {
                        "role": "assistant",
                        "time": {"created": 1, "completed": 2},
                        "tokens": {"input": 5, "cache": {"read": 1}},
                        "cost": 1,
                        "path": {"cwd": "/"},
                        "id": "2",
                    },
                    "parts": [
                        {
                            "type": "tool",
                            "tool": "bash",
                            "callID": "c",
                            "state": {"status": "error", "time": {"start": 1}, "metadata": {}},
                        }
                    ],
                },
            ],
        }
    ],
    "pi": [
        {"type": "session", "version": 3, "id": "s", "cwd": "/"},
        pi(role="user", content=[]),
        pi(
            role="assistant",
            content=[{"type": "toolCall", "id": "1", "name": "bash", "arguments": {}}],
            usage={"input": 5, "cost": {"total": 1}},
        ),
        pi(role="toolResult", toolCallId="1", content=[{"text": "x"}], isError=True),
    ],
    "plain": [
        {"type": "prompt", "time": TIME},
        {"type": "call", "time": 1, "id": "1", "tool": "bash", "kind": "shell"},
        {"type": "result", "time": 2, "id": "1", "outcome": "ok", "text": "x"},
        {"type": "usage", "time": 3, "id": "1", "model": "m", "input": 5, "dollars": 1},
    ],
}
JUNK: list[Any] = [
    None,
    True,
    -1,
    1e300,
    math.inf,
    math.nan,
    10**400,
    "",
    "\ud800",
    [],
    [None],
    {},
    {"type": []},
]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / "whatever.txt"
    for separators in ((",", ":"), (", ", ": ")):
        path.write_text(json.dumps(SAMPLES[name][0], separators=separators) + "\n")
        assert [session.harness for session in sessions(path)] == [name]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_is_known_however_long_its_first_record_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(json.dumps({"instructions": "x" * 300_000, **SAMPLES[name][0]}) + "\n")
    assert [session.harness for session in sessions(path)] == [name]


@pytest.mark.parametrize("name", ["claude", "qwen"])
def test_records_that_tell_nothing_may_come_first(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    noted = {"type": "queue-operation", "sessionId": "s", "content": "x" * 100_000}
    lines = [json.dumps(record) for record in (noted, noted, SAMPLES[name][0])]
    path.write_text("\n".join([*lines[:1], "no JSON", "[]", *lines[1:]]))
    assert [session.harness for session in sessions(path)] == [name]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}", b"[1]", b"\xff\xfe", b"\0" * 99, b'{"type":"other"}', b"text"]
)
def test_other_files_are_no_logs(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    assert list(sessions(path)) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_tell_everything(name: str, tmp_path: Path) -> None:
    told = {type(event) for event in _events(name, SAMPLES[name], tmp_path / "log")}
    of_a_person = Response if name == "codex" else Prompt  # the sample is a subagent's
    assert told >= {CallMade, ResultSeen, of_a_person}


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_in_a_log_raises(name: str, tmp_path: Path) -> None:
    for seed in range(100):
        chance = random.Random(seed)
        records = [_mutated(record, chance) for record in SAMPLES[name] * 2]
        for event in _events(name, records, tmp_path / "log"):
            assert math.isfinite(event.time), seed


def _mutated(value: Any, chance: random.Random) -> Any:
    """One in ten of the values inside, at any depth, becomes something else."""
    if chance.random() < 0.1:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        return {key: _mutated(inner, chance) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mutated(inner, chance) for inner in value]
    return value


def _events(name: str, records: list[Any], path: Path) -> Iterator[Any]:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    for session in sessions(path):
        yield from session.events
