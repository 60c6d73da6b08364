"""A throw-away home directory for the real Pi, and the CLI run in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script
from runaway.installer.harnesses.pi.drill import QUIET, Launch, provider, redirected, run
from runaway.installer.harnesses.session_ids import uuid7
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal
from tools.live_harnesses import COMPILED

PRICES = {"input": 5, "output": 25, "cacheRead": 0.5, "cacheWrite": 6.25}  # dollars per million


class PiHome(NamedTuple):
    """`project` is the working directory of every run; `node` runs the program."""

    pi: Path
    node: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def folder(self) -> Path:
        return self.root / ".pi/agent"

    @property
    def extension(self) -> Path:
        return self.folder / "extensions/runaway.js"

    @property
    def path(self) -> str:
        return f"{self.node.parent}:/usr/bin:/bin"

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.root), "PATH": self.path, "LANG": "C.UTF-8", **COMPILED}

    @property
    def machine(self) -> Machine:
        """A machine with this Pi on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.pi.parent}:{self.path}"})

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn; `launch` are fields of `Launch`."""
        environment = self.environment | launch.pop("environment", {})
        fields = {"session": uuid7(), "prices": PRICES, **launch}
        start = Launch(
            self.pi, self.project, environment, prompt=prompt, arguments=arguments, **fields
        )
        return run(start, script)

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal."""
        with MessagesServer(script) as server:
            file = self.root / "provider.js"
            file.write_text(provider(server.url, PRICES))
            command = [str(self.pi), *redirected(file), *arguments]
            environment = {**self.environment, **QUIET}
            with Terminal(command, cwd=self.project, environment=environment) as terminal:
                yield terminal
