"""A throw-away home directory for the real Qwen Code, and the CLI run in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script
from runaway.installer.harnesses.qwen.drill import SIGN_IN, Launch, redirected, run
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal
from tools.live_harnesses import COMPILED

PRICED = "claude-haiku-4-5"


class QwenHome(NamedTuple):
    """`project` is the working directory of every run; `node` runs the program."""

    qwen: Path
    node: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def settings(self) -> Path:
        return self.root / ".qwen/settings.json"

    @property
    def path(self) -> str:
        return f"{self.node.parent}:/usr/bin:/bin"

    @property
    def machine(self) -> Machine:
        """A machine with this Qwen Code on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.qwen.parent}:{self.path}"})

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.root), "PATH": self.path, "LANG": "C.UTF-8", **COMPILED}

    def write(self, settings: Mapping[str, Any], file: Path | None = None) -> None:
        target = file or self.settings
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(settings, indent=2))

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn where every tool may run; `launch` are fields of `Launch`."""
        environment = self.environment | launch.pop("environment", {})
        start = Launch(
            self.qwen, self.project, environment, prompt, PRICED, arguments=arguments, **launch
        )
        return run(start, script)

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal, ready for a prompt."""
        with MessagesServer(script) as server:
            environment = {**self.environment, **redirected(server.url)}
            command = [str(self.qwen), *SIGN_IN, "-m", PRICED, *arguments]
            with Terminal(command, cwd=self.project, environment=environment) as terminal:
                terminal.wait_for("Type your message")
                yield terminal
