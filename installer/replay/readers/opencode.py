"""OpenCode: its SQLite database, or the JSON document that `opencode export` prints.

Its messages and their parts are those that its plugin tells the guard, whose dialect reads them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast

from ....guard.call import OTHER
from ....guard.dialects.opencode import TOOL_KINDS, ended, spent
from ..events import CallMade, Event, Outcome, Prompt, Response, ResultSeen, Session, Stream
from .lines import Record, members, objects, parsed, seconds

SQLITE = b"SQLite format 3\0"
HEAD = 1024  # bytes in which an export says what it is
ENDED = ("completed", "error")


def is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def document(path: Path) -> Record | None:
    """What `opencode export` has printed; None where the file is something else."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        if b'"info"' not in head[:64] or b'"ses_' not in head:
            return None
        whole = parsed(head + file.read())
    return whole if isinstance(whole, dict) else None


def is_first(record: Record) -> bool:
    return str(members(record.get("info")).get("id", "")).startswith("ses_")


def session(path: Path, record: Record) -> Session:
    info = members(record.get("info"))
    return _session(info.get("id"), info.get("parentID"), partial(_exported_events, path))


def _exported_events(path: Path) -> Iterator[Event]:
    """Only the events are kept of a document, which may be large: a family has many."""
    return iter(list(_events(objects((document(path) or {}).get("messages")))))


def stored(path: Path) -> Iterator[Session]:
    """The sessions in its database; none in another program's."""
    with _opened(path) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        if not {"session", "message", "part"} <= tables:
            return
        rows = database.execute("SELECT id, parent_id FROM session ORDER BY id").fetchall()
    for id, parent in rows:
        yield _session(id, parent, partial(_stored_events, path, id))


def _stored_events(path: Path, session: str) -> Iterator[Event]:
    with _opened(path) as database:
        yield from _events(_messages(database, session))


def _opened(path: Path) -> closing[sqlite3.Connection]:
    """Read-only: OpenCode may be running."""
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True))


def _messages(database: sqlite3.Connection, session: str) -> Iterator[Record]:
    rows = database.execute(
        "SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,)
    )
    for message, data in rows:
        parts = database.execute(
            "SELECT data FROM part WHERE message_id = ? ORDER BY id", (message,)
        )
        info = {**members(parsed(data)), "id": message}
        yield {"info": info, "parts": [parsed(part) for (part,) in parts]}


def _session(id: Any, parent: Any, read: Callable[[], Iterator[Event]]) -> Session:
    """A child's calls belong to its parent's session (one level up: the log tells no more)."""
    return Session("opencode", str(parent or id), str(id) if parent else "", Stream(read))


def _events(messages: Iterable[Record]) -> Iterator[Event]:
    for message in messages:
        info, parts = members(message.get("info")), objects(message.get("parts"))
        time = seconds(members(info.get("time")).get("created"))
        if info.get("role") == "user":
            human = not all(part.get("synthetic") for part in parts) if parts else True
            yield Prompt(time, human, str(info.get("id", "")))
            continue
        for part in parts:
            if part.get("type") == "tool":
                yield from _tool(part, info, time)
        yield Response(*spent(info, time)[1:])


def _tool(part: Record, info: Record, time: float) -> Iterator[Event]:
    state, tool, round = (
        members(part.get("state")),
        str(part.get("tool", "")),
        str(info.get("id", "")),
    )
    started = seconds(members(state.get("time")).get("start")) or time
    cwd, kind = str(members(info.get("path")).get("cwd", "")), TOOL_KINDS.get(tool, OTHER)
    id = str(part.get("callID", ""))
    yield CallMade(started, id, tool, kind, state.get("input"), cwd, round)
    if state.get("status") in ENDED:
        _, when, _, outcome, digest, *_ = ended(part, started)
        yield ResultSeen(when, id, cast(Outcome, outcome), digest, round)
