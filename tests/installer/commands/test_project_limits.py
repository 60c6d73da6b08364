"""What `status`, `why` and `resume` make of a session that a project's own limits have stopped."""

from __future__ import annotations

import json
import time
from pathlib import Path

from runaway.guard.session import file_name, peek
from runaway.installer import self_test
from runaway.installer.commands import resume, status, why
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.installer.conftest import machine, wired
from tests.support.samples import golden

__all__ = ["machine", "wired"]  # fixtures


def stopped(machine: Machine, project: Path, number: int) -> bool:
    """Is this call of a session that has cost $0.027 held back?"""
    fields = {
        "session_id": "s",
        "transcript_path": golden("plain"),
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"echo {number}"},
        "tool_use_id": f"t{number}",
    }
    command = command_for(machine.launcher, "claude")
    return b"deny" in self_test.answer(command, json.dumps(fields).encode())[1]


def test_status_and_why_name_the_file_of_the_limit(wired: Machine, tmp_path: Path) -> None:
    (tmp_path / ".runaway.json").write_text('{"limits": {"spend.prompt": [0, 0, 0.001, 0]}}')
    assert stopped(wired, tmp_path, 1)
    told = why.run(wired, "last", time.time())
    assert told.data["trip"]["source"] == f"{tmp_path}/.runaway.json"
    assert told.data["limits"] is None
    assert f"comes from the project's file {tmp_path}/.runaway.json" in "\n".join(told.lines)
    shown = status.run(wired, time.time()).lines
    assert any("limit from " in line and line.endswith(".json") for line in shown)


def test_resume_raises_a_projects_limit_of_dollars_and_leaves_the_users(
    wired: Machine, tmp_path: Path
) -> None:
    (tmp_path / ".runaway.json").write_text('{"limits": {"spend.prompt": [0, 0, 0.001, 0]}}')
    assert stopped(wired, tmp_path, 1)
    assert resume.run(wired, "s", 0, None).messages == ()
    assert not stopped(wired, tmp_path, 2)
    memory = peek(str(wired.state / "sessions" / file_name("claude", "s")))
    assert list(memory["granted"]) == ["spend.prompt:@project"]


def test_resume_tells_of_a_cap_of_the_project_that_holds(wired: Machine, tmp_path: Path) -> None:
    (tmp_path / ".runaway.json").write_text('{"session_cap": 0.01, "day_cap": 1000}')
    assert stopped(wired, tmp_path, 1)
    [message] = resume.run(wired, "s", 0, None).messages
    assert "its cap is $0.01" in message.text
    assert resume.run(wired, "s", 5, None).messages == ()
    assert not stopped(wired, tmp_path, 2)
