"""What earlier releases wrote, as the lines that the guard's readers know.

Claude Code kept the records of subagents inside those of their parent; Gemini CLI kept a session as
one document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ....guard.call import OTHER
from .lines import Record, members, objects, parsed
from .lines import lines as lines_of

WRAPPED = b'"agent_progress"'
HEAD = 1024  # bytes in which both keys of a document of Gemini CLI's stand


def lines(harness: str, path: Path) -> Iterator[tuple[str, bytes]]:
    """(subagent inside this file, a line of its log)."""
    if harness == "claude":
        return map(_unwrapped, lines_of(path))
    whole = document(path) if harness == "gemini" else None
    told = map(_line, objects(whole.get("messages"))) if whole else lines_of(path)
    return (("", line) for line in told)


def _unwrapped(line: bytes) -> tuple[str, bytes]:
    """A line that only looks like a subagent's stays what it is."""
    if WRAPPED not in line:
        return "", line
    outer = members(parsed(line))
    data = members(outer.get("data"))
    if data.get("type") != "agent_progress":
        return "", line
    inner = {"cwd": outer.get("cwd", ""), **members(data.get("message")), "isSidechain": True}
    return str(data.get("agentId") or OTHER), _line(inner)


def _line(record: Record) -> bytes:
    """With its type in front, where readers look for it."""
    return json.dumps({"type": record.get("type"), **record}).encode()


def document(path: Path) -> Record | None:
    """A session of Gemini CLI's that is one document; None where it is a log, or another's file."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        if b'"sessionId"' not in head or b'"projectHash"' not in head:
            return None
        first = parsed(head.partition(b"\n")[0])
        if isinstance(first, dict) and "messages" not in first:
            return None
        whole = parsed(head + file.read())
    return whole if isinstance(whole, dict) else None
