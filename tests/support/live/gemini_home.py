"""A throw-away home directory for the real Gemini CLI, and the CLI run in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.generate_server import GenerateServer
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script
from runaway.installer.harnesses.gemini.drill import MODEL, Launch, redirected, run
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal
from tools.live_harnesses import COMPILED

# A way to sign in that asks nobody; its own loop detection would stop a loop before the guard does.
PLAIN: dict[str, Any] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "model": {"disableLoopDetection": True},
}


class GeminiHome(NamedTuple):
    """`project` is the working directory of every run; `node` runs the program."""

    gemini: Path
    node: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def settings(self) -> Path:
        return self.root / ".gemini/settings.json"

    @property
    def path(self) -> str:
        """Without a Node of ours that of whoever runs the tests."""
        return f"{self.node.parent}:{os.environ['PATH']}"

    @property
    def machine(self) -> Machine:
        """A machine with this Gemini CLI on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.gemini.parent}:{self.path}"})

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.root), "PATH": self.path, "LANG": "C.UTF-8", **COMPILED}

    def write(self, settings: Mapping[str, Any] | bytes = b"{}", file: Path | None = None) -> None:
        """Puts `settings`, and what every run needs beside them, into the user's file or another."""
        target = file or self.settings
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(settings, bytes):
            target.write_bytes(settings)
        else:
            target.write_text(json.dumps({**PLAIN, **settings}, indent=2))

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn where every tool may run; `launch` are fields of `Launch`."""
        environment = self.environment | launch.pop("environment", {})
        arguments = ("--yolo", *arguments)
        start = Launch(
            self.gemini, self.project, environment, prompt, arguments=arguments, **launch
        )
        return run(start, script)

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal, ready for a prompt."""
        with GenerateServer(script) as server:
            environment = {**self.environment, **redirected(server.url)}
            command = [str(self.gemini), "-m", MODEL, *arguments]
            with Terminal(command, cwd=self.project, environment=environment) as terminal:
                terminal.wait_for("Type your message")
                yield terminal

    def logs(self) -> list[Path]:
        """Of the main agents of all sessions, oldest first."""
        return sorted(self.root.glob(".gemini/tmp/*/chats/session-*.jsonl"))
