"""Reads what `claude --output-format stream-json --verbose --include-hook-events` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...drill.outcome import Call, HookRun

Event = Mapping[str, Any]


def events(stdout: bytes) -> tuple[Event, ...]:
    """One event per line; a line that is not an object (a torn last one, say) is left out."""
    return tuple(event for line in stdout.split(b"\n") if isinstance(event := _load(line), dict))


def _load(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def calls(stream: tuple[Event, ...]) -> tuple[Call, ...]:
    """In the order in which the model proposed them, each with the result that the model got."""
    results = {block["tool_use_id"]: block for _, block in _blocks(stream, "user", "tool_result")}
    return tuple(
        Call(
            block["id"],
            block["name"],
            block["input"],
            event.get("parent_tool_use_id") or "",
            _text(results[block["id"]].get("content")) if block["id"] in results else None,
            bool(results.get(block["id"], {}).get("is_error")),
        )
        for event, block in _blocks(stream, "assistant", "tool_use")
    )


def _blocks(stream: tuple[Event, ...], role: str, kind: str) -> Iterator[tuple[Event, Event]]:
    for event in stream:
        if event.get("type") == role and isinstance(event["message"]["content"], list):
            yield from ((event, b) for b in event["message"]["content"] if b["type"] == kind)


def _text(content: Any) -> str:
    """A tool result is a text or a list of blocks."""
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content)
    return str(content or "")


def hooks(stream: tuple[Event, ...]) -> tuple[HookRun, ...]:
    return tuple(
        HookRun(
            event["hook_event"],
            event["stdout"],
            event["stderr"],
            event.get("exit_code"),
            event["outcome"],
        )
        for event in stream
        if event.get("subtype") == "hook_response"
    )


def session(stream: tuple[Event, ...]) -> str:
    return next((event["session_id"] for event in stream if "session_id" in event), "")


def result(stream: tuple[Event, ...]) -> Event:
    """The closing event; empty when the run did not come that far."""
    return next((event for event in reversed(stream) if event.get("type") == "result"), {})
