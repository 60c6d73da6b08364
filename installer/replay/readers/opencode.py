"""OpenCode: its SQLite database, or the JSON document that `opencode export` prints."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from ....guard.call import EDIT, OTHER, SHELL, SPAWN, WEB
from ....guard.usage import Usage
from ..events import (
    CallMade,
    Event,
    Outcome,
    Prompt,
    Response,
    Session,
    Stream,
    result,
)
from .lines import (
    Record,
    count,
    members,
    money,
    objects,
    parsed,
    seconds,
)

KINDS = {
    "bash": SHELL,
    "task": SPAWN,
    "webfetch": WEB,
    "websearch": WEB,
    "edit": EDIT,
    "write": EDIT,
    "patch": EDIT,
    "apply_patch": EDIT,
    "multiedit": EDIT,
}
NEUTRAL = ("The user rejected permission", "Tool execution aborted", "Error: The user rejected")
SQLITE = "SQLite format 3\0"


def detect(head: str) -> bool:
    if head.startswith(SQLITE):
        return True
    return head.startswith("{") and '"info":' in head[:64] and '"ses_' in head


def sessions(path: Path) -> Iterator[Session]:
    with path.open("rb") as file:
        database = file.read(len(SQLITE)) == SQLITE.encode()
    if database:
        yield from _stored(path)
        return
    exported = members(parsed(path.read_bytes()))
    info, messages = members(exported.get("info")), objects(exported.get("messages"))
    yield _session(info.get("id"), info.get("parentID"), lambda: _events(messages))


def _stored(path: Path) -> Iterator[Session]:
    with _opened(path) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        if not {"session", "message", "part"} <= tables:
            return
        rows = database.execute("SELECT id, parent_id FROM session ORDER BY id").fetchall()
    for session, parent in rows:
        yield _session(session, parent, partial(_stored_events, path, session))


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
        yield _usage(info, time)


def _tool(part: Record, info: Record, time: float) -> Iterator[Event]:
    state = members(part.get("state"))
    tool, id = str(part.get("tool", "")), str(part.get("callID", ""))
    times = members(state.get("time"))
    started = seconds(times.get("start")) or time
    cwd = str(members(info.get("path")).get("cwd", ""))
    yield CallMade(
        started,
        id,
        tool,
        KINDS.get(tool, OTHER),
        state.get("input"),
        cwd,
        str(info.get("id", "")),
    )
    if state.get("status") in ("completed", "error"):
        text = str(state.get("output") or state.get("error") or "")
        yield result(seconds(times.get("end")) or started, id, _outcome(state, text), text)


def _outcome(state: Record, text: str) -> Outcome:
    """A shell command that exits with 1 is "completed"; only its metadata tells."""
    if state.get("status") == "error":
        return "neutral" if text.startswith(NEUTRAL) else "failed"
    return "failed" if members(state.get("metadata")).get("exit") else "ok"


def _usage(info: Record, time: float) -> Response:
    used = members(info.get("tokens"))
    cache = members(used.get("cache"))
    usage = Usage(
        count(used.get("input")),
        count(used.get("output")) + count(used.get("reasoning")),
        count(cache.get("read")),
        count(cache.get("write")),
    )
    finished = seconds(members(info.get("time")).get("completed")) or time
    id, model = str(info.get("id", "")), str(info.get("modelID", ""))
    return Response(finished, id, model, usage, money(info.get("cost")))
