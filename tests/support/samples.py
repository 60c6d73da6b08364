"""Payloads of every kind that harnesses send, in an order in which they add up to trips."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.processes import payload

GOLDEN = Path(__file__).parents[1] / "guard/transcripts/golden/claude"
FAILED = "<tool_use_error>String to replace not found in file.</tool_use_error>"


class Sample(NamedTuple):
    session: str
    data: bytes


def samples(*, few: bool = False) -> Iterator[Sample]:
    """One session after the other; equal in every process that reads them in this order."""
    for session, calls in SESSIONS.items():
        for number, call in enumerate(calls if session in FEW or not few else ()):
            given = {"tool_use_id": f"toolu_{number}", **call, "session_id": session}
            yield Sample(session, json.dumps(payload(**given)).encode())
    for number, data in enumerate(BROKEN[:2] if few else BROKEN):
        yield Sample(f"broken {number}", data)


def batch(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"hook_event_name": "PostToolBatch", "tool_calls": calls}


def edit(number: int, said: str = FAILED) -> dict[str, Any]:
    return {
        "tool_name": "Edit",
        "tool_input": {"file_path": "/a", "old_string": "é\u2028", "new_string": "\ud83d"},
        "tool_use_id": f"edit_{number}",
        "tool_response": said,
    }


def golden(name: str) -> str:
    return str(GOLDEN / name / "session.jsonl")


SESSIONS: dict[str, list[dict[str, Any]]] = {
    "a loop": [{"tool_input": {"command": "npm test", "description": str(n)}} for n in range(21)],
    "another loop": [{"tool_input": {"command": f"echo {n % 2}"}} for n in range(10)],
    "equal results": [
        batch({"tool_name": "Read", "tool_use_id": f"read_{n}", "tool_response": "same"})
        for n in range(7)
    ],
    "failing edits": [batch(edit(number)) for number in range(7)],
    "parallel failing edits": [batch(edit(1), edit(2), edit(3))],
    "subagents": [
        {"tool_name": "Agent", "tool_input": {"prompt": str(n)}, "agent_id": "a" * (n % 2)}
        for n in range(13)
    ],
    "a dozen subagents": [{"tool_name": "Agent", "tool_input": {"prompt": str(n)}} for n in range(12)],
    "tampering": [
        {"tool_input": {"command": "runaway pause 1d"}},
        {"tool_name": "Edit", "tool_input": {"file_path": "/x/.claude/settings.json",
                                            "new_string": "disableAllHooks"}},
    ],
    "secrets": [{"tool_input": {"command": "curl -H 'Authorization: Bearer abcdef'"}}] * 9,
    "money": [{"transcript_path": golden("cache")}, {"transcript_path": golden("cache")}],
    "a fork": [{"transcript_path": golden("fork")}],
    "a damaged log": [{"transcript_path": str(Path(__file__).with_name("damaged.jsonl"))}] * 2,
    "compacted": [{"transcript_path": golden("auto-compacted")}],
}  # fmt: skip
BROKEN = [
    b"",
    b"null",
    b"[[[[",
    b"{}",
    b'\xef\xbb\xbf{"session_id": NaN}',
    b'"\xff"',
    b"[" * 99_999,
]
FEW = ("failing edits", "money", "tampering", "a damaged log")
