from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
