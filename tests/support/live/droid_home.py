"""A throw-away home directory for the real Droid, and the CLI run in it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script, ToolUse
from runaway.installer.harnesses.droid.drill import RISK, Launch, log_of, run
from runaway.installer.machine import Machine, scratch_machine


def execute(command: str) -> ToolUse:
    return ToolUse("Execute", {"command": command, "summary": "Run a small command", **RISK})


class DroidHome(NamedTuple):
    """`project` is the working directory of every run."""

    droid: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def settings(self) -> Path:
        return self.root / ".factory/settings.json"

    @property
    def machine(self) -> Machine:
        """A machine with this Droid on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.droid.parent}:/usr/bin:/bin"})

    def write(self, commands: Mapping[str, str], **fields: Any) -> None:
        """Puts one command per event into the settings."""
        self.settings.parent.mkdir(exist_ok=True)
        hooks = {event: [group(command)] for event, command in commands.items()}
        self.settings.write_text(json.dumps({"hooks": hooks, **fields}))

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn with all commands allowed; `launch` are fields of `Launch`."""
        environment = {"HOME": str(self.root), "PATH": os.defpath, "LANG": "C.UTF-8"}
        allowed = ("--auto", "high", *arguments)
        start = Launch(self.droid, self.project, self.root, environment, prompt, allowed, **launch)
        return run(start, script)

    def log(self, session: str) -> list[dict[str, Any]]:
        """The records of a session."""
        path = log_of(self.root, session)
        assert path
        return [json.loads(line) for line in path.read_bytes().splitlines()]


def group(command: str, **fields: Any) -> dict[str, Any]:
    """A group with one hook, as people write it."""
    return {"hooks": [{"type": "command", "command": command, "timeout": 10, **fields}]}
