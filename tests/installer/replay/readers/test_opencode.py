from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from runaway.guard.call import SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session
from runaway.installer.replay.readers import sessions

Read = Callable[..., tuple[Session, list[Event]]]

USER = {"role": "user", "time": {"created": 1_700_000_000_000}}
ASSISTANT = {
    "role": "assistant",
    "modelID": "kimi-k2",
    "path": {"cwd": "/repo"},
    "cost": 0.25,
    "tokens": {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 4, "write": 3}},
    "time": {"created": 1_700_000_001_000, "completed": 1_700_000_009_000},
}


def tool(id: str, status: str, **state: Any) -> dict[str, Any]:
    times = {"start": 1_700_000_002_000, "end": 1_700_000_003_000}
    about = {"status": status, "input": {"command": "make"}, "time": times, **state}
    return {"type": "tool", "tool": "bash", "callID": id, "state": about}


PARTS = [
    tool("c1", "completed", output="fine", metadata={"exit": 0}),
    tool("c2", "completed", output="boom", metadata={"exit": 2}),
    tool("c3", "error", error="Error: File not found"),
    tool("c4", "error", error="The user rejected permission to use this specific tool call."),
    tool("c5", "running"),
]


def exported(**info: Any) -> dict[str, Any]:
    return {
        "info": {"id": "ses_1", **info},
        "messages": [
            {"info": {**USER, "id": "msg_1"}, "parts": [{"type": "text", "text": "Build it."}]},
            {"info": {**ASSISTANT, "id": "msg_2"}, "parts": PARTS},
        ],
    }


def test_an_export_is_read(only_session: Read) -> None:
    session, events = only_session(exported())
    assert session[:3] == ("opencode", "ses_1", "")
    assert events[0] == Prompt(1_700_000_000.0, True, "msg_1")
    assert events[1] == CallMade(
        1_700_000_002.0, "c1", "bash", SHELL, {"command": "make"}, "/repo", "msg_2"
    )


def test_an_exit_code_is_a_failure_though_the_call_is_completed(only_session: Read) -> None:
    _, events = only_session(exported())
    outcomes = [event.outcome for event in events if isinstance(event, ResultSeen)]
    assert outcomes == ["ok", "failed", "failed", "neutral"]


def test_opencodes_own_cost_is_taken(only_session: Read) -> None:
    _, events = only_session(exported())
    (response,) = [event for event in events if isinstance(event, Response)]
    assert (response.usage.dollars, response.usage.output, response.usage.cache_read) == (
        0.25,
        3,
        4,
    )


def test_a_childs_session_is_an_agent_of_its_parent(only_session: Read) -> None:
    session, _ = only_session(exported(parentID="ses_0"))
    assert session[:3] == ("opencode", "ses_0", "ses_1")


def test_the_database_tells_the_same_as_the_export(tmp_path: Path, only_session: Read) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session (id TEXT, parent_id TEXT)")
        database.execute("CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)")
        database.execute("CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)")
        database.execute("INSERT INTO session VALUES ('ses_1', NULL)")
        for message in exported()["messages"]:
            info = dict(message["info"])
            id = info.pop("id")
            row = (id, "ses_1", json.dumps(info))
            database.execute("INSERT INTO message VALUES (?, ?, ?)", row)
            for number, part in enumerate(message["parts"]):
                row = (f"prt_{number}", id, json.dumps(part))
                database.execute("INSERT INTO part VALUES (?, ?, ?)", row)
        database.execute("INSERT INTO part VALUES ('prt_9', 'msg_2', 'not json')")
    (stored,) = sessions(path)
    _, events = only_session(exported())
    assert [str(event)[:60] for event in stored.events] == [str(event)[:60] for event in events]


def test_another_programs_database_holds_no_session(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session (id TEXT)")
    assert list(sessions(path)) == []
