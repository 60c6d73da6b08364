"""A throw-away home directory for the real Grok Build, and the CLI run in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script
from runaway.installer.harnesses.grok.drill import (
    MODEL,
    QUIET,
    Launch,
    answering,
    redirected,
    run,
)
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal


class GrokHome(NamedTuple):
    """`project` is the working directory of every run."""

    grok: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def folder(self) -> Path:
        return self.root / ".grok"

    @property
    def hooks(self) -> Path:
        return self.folder / "hooks/runaway.json"

    @property
    def machine(self) -> Machine:
        """A machine with this Grok on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.grok.parent}:/usr/bin:/bin"})

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.root), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn where every tool may run; `launch` are fields of `Launch`."""
        self.folder.mkdir(exist_ok=True)
        words = ("--always-approve", *arguments)
        start = Launch(
            self.grok,
            self.project,
            self.folder,
            self.environment,
            prompt,
            arguments=words,
            **launch,
        )
        return run(start, script)

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal, ready for a prompt."""
        self.folder.mkdir(exist_ok=True)
        with MessagesServer(answering(script)) as server:
            (self.folder / "config.toml").write_text(redirected(server.url, MODEL))
            command = [str(self.grok), "--trust", *arguments]
            environment = {**self.environment, **QUIET}
            with Terminal(command, cwd=self.project, environment=environment) as terminal:
                terminal.wait_for("Logged in with API key")
                yield terminal
