"""Helpers of the installer's tests: the verbs on a scratch machine, settings as people have them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.command import command_for
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.machine import Machine
from runaway.installer.result import Result

CHOSEN = ("claude",)
SHELLS = ("dash", "bash", "zsh", "ksh", "mksh", "busybox", "fish")
NASTY = "it's a \"home\" $x (1) & `id`; ünï 日本 \\s"

needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="the program patch is absent")
not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def wire(machine: Machine, **options: Any) -> Result:
    return setup.run(machine, setup.Options(**{"harnesses": CHOSEN, **options}))


def unwire(machine: Machine, **options: Any) -> Result:
    return uninstall.run(machine, uninstall.Options(**{"harnesses": CHOSEN, **options}))


def diagnose(machine: Machine, **options: Any) -> Result:
    chosen = doctor.Options(**{"harnesses": CHOSEN, **options})
    return doctor.run(machine, chosen, progress=lambda _: None)


def row(result: Result) -> dict[str, Any]:
    """The only row of what setup or uninstall did."""
    [only] = result.data["harnesses" if result.command == "setup" else "files"]
    assert isinstance(only, dict)
    return only


def levels(result: Result) -> dict[str, str]:
    """Check -> level, the worst where one is told several times."""
    worst = sorted(result.data["checks"], key=lambda check: doctor.ORDER.index(check["level"]))
    return {check["check"]: check["level"] for check in reversed(worst)}


def codes(result: Result) -> list[str]:
    return [message.code for message in result.messages]


def registered(machine: Machine) -> str:
    return command_for(machine.launcher, "claude")


def entry(machine: Machine, **changes: object) -> dict[str, Any]:
    """Our group as setup writes it, with changes in its handler."""
    return {"hooks": [{"type": "command", "command": registered(machine), "timeout": 10, **changes}]}


def hooks(*groups: object) -> bytes:
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=2).encode() + b"\n"


def in_file(path: Path) -> list[dict[str, Any]]:
    """The PreToolUse groups of a settings file."""
    groups = json.loads(path.read_bytes())["hooks"]["PreToolUse"]
    assert isinstance(groups, list)
    return groups


def user_file(machine: Machine, data: bytes | None = None) -> Path:
    """`~/.claude/settings.json`, holding `data` if there is any."""
    path = machine.home / ".claude/settings.json"
    if data is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return path


def in_shell(shell: str, command: str) -> Sequence[str]:
    return [shell, "sh", "-c", command] if shell == "busybox" else [shell, "-c", command]


def present_shells() -> list[str]:
    return [shell for shell in SHELLS if shutil.which(shell)]


def payload(session: str = "s", number: int = 1) -> bytes:
    call = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "tool_use_id": f"toolu_{number}",
    }
    return json.dumps(call).encode()


def call(command: str, data: bytes = b"", shell: str = "/bin/sh") -> tuple[int, bytes]:
    """Exit code and output of a registered command, run as a harness runs it."""
    done = subprocess.run(
        in_shell(shell, command),
        input=data,
        capture_output=True,
        env={"PATH": os.environ["PATH"]},
        cwd="/",
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout


def decision(output: bytes) -> str:
    return str(json.loads(output)["hookSpecificOutput"]["permissionDecision"])
