"""Which files belong together: a session, its subagents and its resumed parts are judged as one."""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal
from .events import Event, Session
from .readers import sessions

SUFFIXES = frozenset((".jsonl", ".json", ".db"))
OPEN_FILES = 64  # a storm of agents has left 905 files; so many cannot all be open at once


class Family(NamedTuple):
    """All agents of one root session, the main one first.

    `path` is the first of its files and `size` what a progress bar advances by when it is done:
    the bytes of all files that begin with one of its agents.
    """

    harness: str
    id: str
    path: Path
    size: int
    members: tuple[Session, ...]


def files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and in folders all that may be logs; each once. Refusal: nothing there."""
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            text = f"{path} does not exist: name a session file or a folder of them."
            raise Refusal(text, code="no-such-path", path=path)
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        logs = [file for file in inside if file.suffix in SUFFIXES and file.is_file()]
        found.update(dict.fromkeys(logs if path.is_dir() else inside))
    return list(found)


def families(paths: Iterable[Path]) -> tuple[list[Family], list[Path]]:
    """The families in these files, and the files that are no session log."""
    found: dict[tuple[str, str], Family] = {}
    foreign: list[Path] = []
    for path in paths:
        agents = _sessions(path)
        size = path.stat().st_size if agents else 0
        for session in agents:
            key = session.harness, session.id
            family = found.get(key) or Family(*key, path, 0, ())
            found[key] = _joined(family, session, path, size)
            size = 0
        if not agents:
            foreign.append(path)
    return list(found.values()), foreign


def _joined(family: Family, session: Session, path: Path, size: int) -> Family:
    """Of calls that stand in two files the main agent's file tells first."""
    size += family.size
    if session.agent:
        return family._replace(size=size, members=(*family.members, session))
    return family._replace(size=size, path=path, members=(session, *family.members))


def _sessions(path: Path) -> list[Session]:
    """An unreadable or damaged file is no session log."""
    try:
        return list(sessions(path))
    except (OSError, sqlite3.DatabaseError):
        return []


def merged(family: Family) -> Iterator[tuple[str, Event]]:
    """(agent, event) of all members in the order of time; the order inside a file is kept."""
    streams = [
        _stamped(session, number, whole=number >= OPEN_FILES)
        for number, session in enumerate(family.members)
    ]
    for _, _, agent, event in heapq.merge(*streams, key=lambda entry: entry[:2]):
        yield agent, event


def _stamped(
    session: Session, number: int, *, whole: bool
) -> Iterator[tuple[float, int, str, Event]]:
    latest = 0.0
    for event in list(session.events) if whole else session.events:
        latest = max(latest, event.time)
        yield latest, number, session.agent, event
