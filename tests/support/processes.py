"""The deployed guard as its own process, the way a harness runs it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from runaway.guard.session import file_name, peek
from runaway.installer import deploy, policy_file
from runaway.installer.interpreter import Interpreter, choose
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine, scratch_machine

PROGRAMS = ("guard.pyc", "run.py")  # frozen and from source


def payload(session: str = "s", number: int = 0, **changes: Any) -> dict[str, Any]:
    """A PreToolUse payload of Claude Code; equal numbers are the same call."""
    call = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/home/u/project",
        "prompt_id": "p1",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "tool_use_id": f"toolu_{number}",
    }
    return {**call, **changes}


class Answer(NamedTuple):
    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def decision(self) -> str:
        """What it says of the call: `note`, `ask`, `deny`, `stop`, or nothing."""
        if not self.stdout:
            return ""
        answer = json.loads(self.stdout)
        if answer.get("continue") is False:
            return "stop"
        return str(answer["hookSpecificOutput"].get("permissionDecision", "note"))


class Guard(NamedTuple):
    """A scratch home in which the guard is deployed; nothing else is in its environment."""

    machine: Machine
    interpreter: Interpreter
    program: str = PROGRAMS[0]

    @property
    def state(self) -> Path:
        return self.machine.state

    @property
    def code(self) -> Path:
        return deploy.code_folder(self.machine, self.interpreter)

    def command(self, harness: str = "claude") -> list[str]:
        return [str(self.interpreter.path), "-I", "-S", str(self.code / self.program), harness]

    def ask(
        self,
        data: bytes | Mapping[str, Any],
        *,
        harness: str = "claude",
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        return run(self.command(harness), data, environment)

    def ask_registered(self, data: bytes | Mapping[str, Any]) -> Answer:
        """By the command that stands in settings files."""
        return run(["/bin/sh", "-c", command_for(self.machine.launcher, "claude")], data)

    def policy(self, **values: Any) -> None:
        compiled = json.loads(policy_file.compiled(self.machine, None))
        policy = {**compiled, "paused_until": 0, **values}
        (self.machine.data / "policy.json").write_text(json.dumps(policy))

    def session_file(self, session: str = "s") -> Path:
        return self.state / "sessions" / file_name("claude", session)

    def memory(self, session: str = "s") -> dict[str, Any]:
        return peek(str(self.session_file(session)))

    def calls(self, session: str = "s") -> int:
        """How many calls the guard has counted."""
        return sum(agent["count"] for agent in self.memory(session)["agents"].values())

    def health(self) -> list[str]:
        """Lines of the health log, from wherever it lies."""
        return [
            line
            for log in deploy.health_logs(self.machine)
            if log.exists()
            for line in log.read_text().splitlines()
        ]


def run(
    command: list[str],
    data: bytes | Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
) -> Answer:
    done = subprocess.run(
        command,
        input=data if isinstance(data, bytes) else json.dumps(data).encode(),
        capture_output=True,
        env={"PATH": os.defpath, **(environment or {})},
        cwd="/",
        timeout=60,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def deployed(home: Path, interpreter: Interpreter | None = None) -> Guard:
    home.mkdir(parents=True, exist_ok=True)
    machine = scratch_machine(home)
    chosen = interpreter or choose(machine)
    deploy.deploy(machine, chosen)
    policy_file.install(machine, policy_file.compiled(machine, None))
    return Guard(machine, chosen)
