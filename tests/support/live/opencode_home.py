"""A throw-away home directory for the real OpenCode, and the CLI run in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill import process
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script
from runaway.installer.harnesses.opencode.drill import Launch, Server, redirected, run
from runaway.installer.harnesses.opencode.paths import LIBRARY
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal

ALLOWED = {"permission": "allow"}
PRICES = {"input": 5, "output": 25, "cache_read": 0.5, "cache_write": 6.25}  # dollars per million
QUICK = {  # a start takes half the time without what these tests do not need
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
    "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER": "1",
}


class OpenCodeHome(NamedTuple):
    """`project` is the working directory of every run."""

    opencode: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def config(self) -> Path:
        return self.root / ".config/opencode"

    @property
    def plugin(self) -> Path:
        return self.config / "plugin/runaway.js"

    @property
    def environment(self) -> dict[str, str]:
        models = {"OPENCODE_MODELS_PATH": str(self.root / "models.json")}
        return {"HOME": str(self.root), "PATH": os.defpath, "LANG": "C.UTF-8", **QUICK, **models}

    @property
    def machine(self) -> Machine:
        """A machine with this OpenCode on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.opencode.parent}:/usr/bin:/bin"})

    def settle(self, folder: Path | None = None) -> None:
        """As after OpenCode's first start with network: otherwise it would wait for npm."""
        folder = folder or self.config
        (folder / "node_modules").mkdir(parents=True)
        lock = {"packages": {"": {"dependencies": {LIBRARY: "*"}}}}
        (self.root / "models.json").write_text("{}")
        (folder / ".gitignore").write_text("node_modules\n")
        (folder / "package-lock.json").write_text(json.dumps(lock))

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn in which OpenCode permits everything; `launch` are fields of `Launch`."""
        environment = self.environment | launch.pop("environment", {})
        fields = {"settings": ALLOWED, "prices": PRICES, **launch}
        start = Launch(
            self.opencode, self.project, environment, prompt=prompt, arguments=arguments, **fields
        )
        return run(start, script)

    def plugins(self, **variables: str) -> str:
        """What OpenCode itself says of the plugins that it loads."""
        command = [str(self.opencode), "debug", "info"]
        done = process.run(
            command, environment=self.environment | variables, cwd=self.project, timeout=60
        )
        assert done.exit_code == 0, done.stderr
        return done.stdout.decode().partition("plugins:")[2]

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal."""
        with Server(script) as server:
            environment = self.environment | redirected(server.url, ALLOWED, PRICES)
            command = [str(self.opencode), *arguments]
            with Terminal(command, cwd=self.project, environment=environment) as terminal:
                yield terminal
