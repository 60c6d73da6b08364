"""A session that the guard never saw is told by its log alone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.session import Session
from runaway.installer import unguarded
from runaway.installer.commands import status
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from tests.support.installer import diagnose, levels, wire

ID = "0a1b2c3d-0000-4000-8000-000000000001"


def stamp(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z")


def claude(home: Path, when: float, calls: int) -> Path:
    log = home / f".claude/projects/-p/{ID}.jsonl"
    records = [
        {
            "type": "assistant",
            "sessionId": ID,
            "uuid": f"u{n}",
            "cwd": "/p",
            "timestamp": stamp(when),
            "message": {
                "id": f"m{n}",
                "model": "claude-opus-5-5",
                "content": [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"n": n}}],
            },
        }
        for n in range(calls)
    ]
    return written(log, records)


def codex(home: Path, when: float, calls: int) -> Path:
    log = home / f".codex/sessions/2026/12/01/rollout-2026-12-01T00-00-00-{ID}.jsonl"
    first: Any = {
        "timestamp": stamp(when),
        "type": "session_meta",
        "payload": {"id": ID, "cwd": "/p"},
    }
    records = [
        {
            "timestamp": stamp(when),
            "type": "response_item",
            "payload": {
                "type": "function_call",
                "name": "shell",
                "call_id": f"c{n}",
                "arguments": json.dumps({"command": ["ls", str(n)]}),
            },
        }
        for n in range(calls)
    ]
    return written(log, [first, *records])


def vscode(home: Path, when: float, calls: int) -> Path:
    folder = home / ".vscode-server/data/User/workspaceStorage/0a/GitHub.copilot-chat/transcripts"
    data: Any = {"sessionId": ID, "vscodeVersion": "1.139.1"}
    started = [
        {
            "type": "tool.execution_start",
            "data": {"toolCallId": f"c{n}", "toolName": "read_file", "arguments": {"n": n}},
            "id": f"e{n}",
            "timestamp": stamp(when),
        }
        for n in range(calls)
    ]
    first = {"type": "session.start", "data": data, "id": "e", "timestamp": stamp(when)}
    return written(folder / f"{ID}.jsonl", [first, *started])


def written(log: Path, records: list[Any]) -> Path:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps(one) + "\n" for one in records))
    return log


LOGS: dict[str, Callable[[Path, float, int], Path]] = {
    "claude": claude,
    "codex": codex,
    "vscode": vscode,
}


@pytest.fixture(params=LOGS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def set_up(machine: Machine, name: str) -> Machine:
    wire(machine, harnesses=(name,), trust_codex_hook=name == "codex")
    return machine


def found(machine: Machine, name: str, now: float) -> list[str]:
    return [one.message for one in unguarded.checks(machine, HARNESSES[name], now)]


def test_a_session_that_the_guard_never_saw_is_an_error(set_up: Machine, name: str) -> None:
    later = time.time() + 5
    log = LOGS[name](set_up.home, later, 40)
    [text] = found(set_up, name, later)
    display = HARNESSES[name].DISPLAY
    assert text == (
        f"{display}'s session 0a1b2c3d made 40 calls since setup, and the guard saw none of them "
        f"({set_up.tilde(log)})."
    )
    assert levels(diagnose(set_up, harnesses=(name,)))["fires.unseen"] == "error"
    told = [one for one in status.run(set_up, later).messages if one.code == "fires.unseen"]
    assert [one.harness for one in told] == [name]


def test_one_that_it_knows_is_none(set_up: Machine, name: str) -> None:
    later = time.time() + 5
    LOGS[name](set_up.home, later, 40)
    session = Session(str(set_up.state), name, ID)
    session.state["session"] = ID
    session.save()
    session.close()
    assert found(set_up, name, later) == []


def test_what_happened_before_setup_proves_nothing(set_up: Machine, name: str) -> None:
    now = time.time()
    LOGS[name](set_up.home, now - 3600, 40)
    assert found(set_up, name, now + 5) == []


def test_a_call_or_two_may_be_under_way(set_up: Machine, name: str) -> None:
    later = time.time() + 5
    LOGS[name](set_up.home, later, 2)
    assert found(set_up, name, later) == []


def test_an_old_log_tells_nothing_of_today(set_up: Machine, name: str) -> None:
    later = time.time() + 10 * unguarded.RECENT
    log = LOGS[name](set_up.home, time.time() + 5, 40)
    os.utime(log, (later - 2 * unguarded.RECENT,) * 2)
    assert found(set_up, name, later) == []


@pytest.mark.parametrize("content", [b"", b"\0" * 4096, b"{" * 4096, b"[1]\n"])
def test_what_is_no_log_is_passed_over(set_up: Machine, name: str, content: bytes) -> None:
    later = time.time() + 5
    LOGS[name](set_up.home, later, 40).write_bytes(content)
    assert found(set_up, name, later) == []


def test_where_setup_has_not_been_there_is_nothing_to_prove(machine: Machine, name: str) -> None:
    LOGS[name](machine.home, time.time() + 5, 40)
    assert found(machine, name, time.time() + 5) == []
