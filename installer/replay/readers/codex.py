"""Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, one file per thread.

The guard's own transcript reader does the work. It tells calls in the words of the hook, and leaves
out what never reaches one: `write_stdin`, `wait`, code-mode scripts, provider-side searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....guard.call import EDIT, SHELL, SPAWN
from ....guard.transcripts import codex
from ..events import Event, Session, Stream
from .guarded import told
from .lines import lines, members, records

KINDS = {
    "Bash": SHELL,
    "apply_patch": EDIT,
    "spawn_agent": SPAWN,
    "collaborationspawn_agent": SPAWN,
}


def detect(head: str) -> bool:
    return '"type":"session_meta"' in head


def sessions(path: Path) -> Iterator[Session]:
    """A fork holds copied metas after its own: the first one tells who it is."""
    meta = members(next(records(path), {}).get("payload"))
    thread = str(meta.get("id", path.stem))
    source = members(meta.get("source")).get("subagent")
    spawn = members(members(source).get("thread_spawn"))
    parent = spawn.get("parent_thread_id") or meta.get("parent_thread_id")
    root = str(meta.get("session_id") or (parent if source else thread))
    yield Session("codex", root, thread if source else "", Stream(lambda: _events(path)))


def _events(path: Path) -> Iterator[Event]:
    yield from told(codex.events(lines(path), {}), KINDS)
