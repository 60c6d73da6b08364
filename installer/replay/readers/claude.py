"""Claude Code: `projects/<folder>/<session>.jsonl`; subagents beside it in `subagents/`.

The guard's own transcript reader does the work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ....guard.call import OTHER
from ....guard.dialects.claude import KINDS
from ....guard.transcripts import claude
from ..events import Event, Session, Stream
from .guarded import told
from .lines import lines, members, parsed, records

if TYPE_CHECKING:
    from ....guard.state import ReaderState

MARKS = (b'"assistant"', b'"user"')
WRAPPED = b'"agent_progress"'  # older releases: a subagent's record inside one of its parent's


def detect(head: str) -> bool:
    return '"sessionId":"' in head and ('"parentUuid":' in head or '"uuid":' in head)


def sessions(path: Path) -> Iterator[Session]:
    """One file is one agent: the session itself, or one of its subagents."""
    first = next(records(path, MARKS), None)
    if first is None:
        return
    agent = str(first.get("agentId") or path.stem) if first.get("isSidechain") else ""
    id = str(first.get("sessionId", path.stem))
    yield Session("claude", id, agent, Stream(lambda: _events(path)))


def _events(path: Path) -> Iterator[Event]:
    memories: dict[str, ReaderState] = {}
    for line in lines(path, MARKS):
        agent, record = _unwrapped(line) if WRAPPED in line else ("", line)
        memory = memories.setdefault(agent, {})
        yield from told(claude.events([record], memory), KINDS, agent)


def _unwrapped(line: bytes) -> tuple[str, bytes]:
    """(agent, its record); a line that only looks like it stays what it is."""
    outer = members(parsed(line))
    data = members(outer.get("data"))
    if data.get("type") != "agent_progress":
        return "", line
    inner = {"cwd": outer.get("cwd", ""), **members(data.get("message")), "isSidechain": True}
    return str(data.get("agentId") or OTHER), json.dumps(inner).encode()
