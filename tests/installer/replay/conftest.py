from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.dialects import dialect_of
from runaway.installer.replay.events import Event, Session
from runaway.installer.replay.readers import sessions

Log = Callable[..., Path]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Write the records as JSON lines to a file of this name."""

    def write(*records: Any, name: str = "session.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


@pytest.fixture
def only_session(log: Log) -> Callable[..., tuple[Session, list[Event]]]:
    """The one session in a log of these records, and its events."""

    def read(*records: Any, name: str = "session.jsonl") -> tuple[Session, list[Event]]:
        (session,) = sessions(log(*records, name=name))
        return session, list(session.events)

    return read


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Somebody is there, by what each harness says of it."""
    values = {
        "CLAUDE_CODE_SESSION_ATTENDED": "1",
        "COPILOT_LOADER_PID": "1",
        "FACTORY_UPSTREAM_CLIENT_TYPE": "cli",
        "COPILOT_HOME": str(tmp_path),
    }
    for name in ("claude", "copilot", "droid", "gemini"):
        monkeypatch.setattr(dialect_of(name), "variable", values.get)
    for name in ("gemini", "grok", "qwen", "antigravity"):
        monkeypatch.setattr(dialect_of(name), "at_terminal", lambda _: True)
