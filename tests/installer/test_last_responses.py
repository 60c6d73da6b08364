"""What a session spends after its last tool call, in every place that tells of money."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from runaway.guard.ledger import Day, day_of
from runaway.installer import last_responses, self_test, sessions
from runaway.installer.commands import report, status
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import wire

MILLION = 1_000_000


def response(number: int, tokens: int = MILLION) -> str:
    """A record of Claude Code: $4 per million tokens of input."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    usage = {"input_tokens": tokens, "output_tokens": 0}
    message = {"id": f"msg_{number}", "model": "claude-opus-5-5", "usage": usage, "content": []}
    return json.dumps({"type": "assistant", "timestamp": stamp, "message": message}) + "\n"


@pytest.fixture
def log(machine: Machine, tmp_path: Path) -> Path:
    """The log of a session of which the guard has seen one call."""
    wire(machine)
    log = tmp_path / "session.jsonl"
    log.write_text(response(1))
    call = {
        "session_id": "s1",
        "transcript_path": str(log),
        "cwd": "/p",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "t1",
    }
    self_test.answer(command_for(machine.launcher, "claude"), json.dumps(call).encode())
    return log


def dollars(machine: Machine) -> float:
    return sessions.sessions(machine).rows[0].dollars


@pytest.mark.usefixtures("one_day")
def test_the_last_response_is_booked_by_the_next_look(machine: Machine, log: Path) -> None:
    assert dollars(machine) == pytest.approx(4)
    with log.open("a") as file:
        file.write(response(2) + response(3, MILLION // 2))
    now = time.time()
    for _ in range(2):
        seen = status.run(machine, now).data
        assert seen["sessions"][0]["dollars"] == pytest.approx(10)
        assert seen["today"]["dollars"] == pytest.approx(10)
        assert report.run(machine, now, None).data["dollars"] == pytest.approx(10)
    assert Day(str(machine.state), day_of(now)).machine == pytest.approx(10)


@pytest.mark.usefixtures("one_day")
def test_the_status_line_tells_the_last_response(machine: Machine, log: Path) -> None:
    with log.open("a") as file:
        file.write(response(2))
    _, line = self_test.answer(command_for(machine.launcher, "statusline"), b'{"session_id": "s1"}')
    assert b"$8.00 this session, $8.00 today" in line
    assert dollars(machine) == pytest.approx(8)


def test_what_cannot_be_read_waits(machine: Machine, log: Path) -> None:
    folder = machine.state / "sessions"
    (folder / "claude-broken.json").write_bytes(b"\xff")
    (folder / "claude-empty.json").write_bytes(b"")
    log.unlink()
    last_responses.book(machine, time.time())
    assert dollars(machine) == pytest.approx(4)


def test_without_a_guard_there_is_nothing_to_read(machine: Machine) -> None:
    last_responses.book(machine, time.time())
    assert not machine.state.exists()
