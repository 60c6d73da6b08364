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

from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine, scratch_machine
from runaway.installer.result import Result

CHOSEN = ("claude",)
SHELLS = ("dash", "bash", "zsh", "ksh", "mksh", "busybox", "fish", "tcsh")
NO_HERE_DOCUMENT = ("fish", "tcsh")  # or one that is written in another way
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "their-check"}]}
PLAIN = b'{\n  "model": "opus"\n}\n'
NASTY = 'it\'s a "home" $x (1) & `id`; ünï 日本 \\s'

needs_patch = pytest.mark.skipif(
    shutil.which("patch") is None, reason="the program patch is absent"
)
not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def bare_machine(home: Path, **environ: str) -> Machine:
    """A machine that has nothing but a home, whatever is installed on the one that runs the tests."""
    home.mkdir()
    return scratch_machine(home, {"PATH": str(home / "bin"), **environ})


def install_claude(machine: Machine, version: str) -> Path:
    """A stand-in for the real program: it tells its version and nothing else."""
    program = machine.home / "bin/claude"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    return program


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
    return {
        "hooks": [{"type": "command", "command": registered(machine), "timeout": 10, **changes}]
    }


def hooks(*groups: object) -> bytes:
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=2).encode() + b"\n"


STYLES: dict[str, bytes] = {
    "two blanks": PLAIN,
    "four blanks": b'{\n    "hooks": {\n        "Stop": []\n    },\n    "z": 1\n}\n',
    "tabs": b'{\n\t"a": "\xe2\x80\x94",\n\t"z": 1\n}\n',
    "CRLF": b'{\r\n  "model": "opus"\r\n}\r\n',
    "no final newline": b'{\n  "model": "opus"\n}',
    "minified": b'{"model":"opus","hooks":{"PreToolUse":[]}}',
    "BOM": b'\xef\xbb\xbf{"model": "opus"}\n',
    "UTF-16": '\ufeff{"model": "opus"}\n'.encode("utf-16-le"),
    "empty": b"",
    "blank": b"\n \n",
    "an empty object": b"{}",
    "numbers and escapes": b'{"a": 1.10, "b": 1e400, "c": "\\u00e9\\ud800"}\n',
    "other hooks": hooks(THEIRS, THEIRS),
}


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


def project_file(house: Machine, tmp_path: Path, data: bytes | None) -> Path:
    """A person's settings in a project, on the machine that has been set up already."""
    file = tmp_path / "project/.claude/settings.local.json"
    file.parent.mkdir(parents=True)
    if data is not None:
        file.write_bytes(data)
    return file


def in_project(file: Path) -> dict[str, Any]:
    return {"scope": "local", "project": file.parent.parent}


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


def call(
    command: str, data: bytes = b"", shell: str = "/bin/sh", **environ: str
) -> tuple[int, bytes]:
    """Exit code and output of a registered command, run as a harness runs it."""
    program, *arguments = in_shell(shell, command)
    done = subprocess.run(
        [shutil.which(program) or program, *arguments],
        input=data,
        capture_output=True,
        env={"PATH": os.environ["PATH"], **environ},
        cwd="/",
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout


def decision(output: bytes) -> str:
    return str(json.loads(output)["hookSpecificOutput"]["permissionDecision"])


def loop_until_denied(machine: Machine, session: str = "loop") -> None:
    """Seven equal calls pass without a word, the eighth is denied."""
    command = registered(machine)
    for number in range(1, 8):
        assert call(command, payload(session, number)) == (0, b"")
    code, output = call(command, payload(session, 8))
    assert (code, decision(output)) == (0, "deny")


def code_is_there(machine: Machine) -> bool:
    return any((machine.data / "guard").glob("*/run.py"))
