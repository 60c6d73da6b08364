"""A throw-away home directory for the real Copilot CLI, and the CLI run in it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import ApiError, Reply, Request, Script
from runaway.installer.harnesses.copilot.drill import MODEL, Launch, events_file, redirected, run
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal


class CopilotHome(NamedTuple):
    """`project` is the working directory of every run; `cache` is where the program unpacks itself."""

    copilot: Path
    root: Path
    cache: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def config(self) -> Path:
        return self.root / ".copilot"

    @property
    def hooks(self) -> Path:
        return self.config / "hooks/runaway.json"

    @property
    def machine(self) -> Machine:
        """A machine with this Copilot on its PATH."""
        environ = {
            "PATH": f"{self.copilot.parent}:/usr/bin:/bin",
            "XDG_CACHE_HOME": str(self.cache),
        }
        return scratch_machine(self.root, environ)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.root),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "XDG_CACHE_HOME": str(self.cache),
        }

    def write(self, commands: Mapping[str, str], **fields: Any) -> None:
        """Puts one command per event into a file of hooks."""
        self.hooks.parent.mkdir(parents=True, exist_ok=True)
        hooks = {
            event: [{"type": "command", "command": command, "timeout": 10}]
            for event, command in commands.items()
        }
        self.hooks.write_text(json.dumps({"hooks": hooks, **fields}))

    def trust(self) -> None:
        """As a person does who is asked for it."""
        self.config.mkdir(exist_ok=True)
        (self.config / "config.json").write_text(
            json.dumps({"trustedFolders": [str(self.project)]})
        )

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn with all tools allowed; `launch` are fields of `Launch`."""
        environment = self.environment | launch.pop("environment", {})
        allowed = ("--allow-all-tools", *arguments)
        start = Launch(
            self.copilot, self.project, environment, prompt=prompt, arguments=allowed, **launch
        )
        return run(start, script)

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal, in a folder that is trusted."""
        self.trust()
        with MessagesServer(script) as server:
            command = [str(self.copilot), "--allow-all-tools", *arguments]
            environment = self.environment | redirected(server.url, MODEL)
            with Terminal(command, cwd=self.project, environment=environment) as terminal:
                terminal.wait_for("commands")
                yield terminal

    def unhurried(self, script: Script) -> Script:
        """The script as a model that thinks until the log, which comes late, has told each result."""

        def thinking(request: Request) -> Reply | ApiError:
            deadline = time.monotonic() + 20
            while self._results() < request.round - 1 and time.monotonic() < deadline:
                time.sleep(0.1)
            return script(request)

        return thinking

    def _results(self) -> int:
        """How many the logs of all sessions tell."""
        logs = self.config.glob("session-state/*/events.jsonl")
        return sum(log.read_bytes().count(b'"tool.execution_complete"') for log in logs)

    def events(self, session: str) -> list[dict[str, Any]]:
        """The records of a session's log."""
        log = events_file(self.environment, session)
        return [json.loads(line) for line in log.read_bytes().splitlines()]
