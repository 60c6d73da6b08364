"""A throw-away home directory for the real Codex, and the CLI run in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.responses_server import ResponsesServer
from runaway.installer.drill.scripts import DONE
from runaway.installer.drill.server import ApiError, Reply, Request, Script
from runaway.installer.harnesses.codex import app_server
from runaway.installer.harnesses.codex.app_server import QUIET, Listed
from runaway.installer.harnesses.codex.drill import MODEL, Launch, redirected, run
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.terminal import Terminal

PRICED = "gpt-5.5"  # has classic tools and a price
IN_CODE_MODE = "gpt-6.2-sol"  # calls its tools from JavaScript


class CodexHome(NamedTuple):
    """`project` is the working directory of every run."""

    codex: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def config(self) -> Path:
        return self.root / ".codex"

    @property
    def hooks(self) -> Path:
        return self.config / "hooks.json"

    @property
    def settings(self) -> Path:
        return self.config / "config.toml"

    @property
    def machine(self) -> Machine:
        """A machine with this Codex on its PATH."""
        return scratch_machine(self.root, {"PATH": f"{self.codex.parent}:/usr/bin:/bin"})

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.root),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.project),  # Codex complains of a home in the temporary folder
        }

    def write(self, groups: Mapping[str, Any]) -> None:
        """Puts these groups of hooks, by event, into `hooks.json`."""
        self.config.mkdir(exist_ok=True)
        self.hooks.write_text(json.dumps({"hooks": groups}, indent=2))

    def run(self, script: Script, *arguments: str, prompt: str = "go", **launch: Any) -> DrillRun:
        """One headless turn with full access; `launch` are fields of `Launch`."""
        fields = {"model": PRICED, "sandbox": "danger-full-access", "keep_session": True, **launch}
        environment = self.environment | fields.pop("environment", {})
        start = Launch(
            self.codex, self.project, environment, prompt=prompt, arguments=arguments, **fields
        )
        return run(start, script)

    def listed(self, project: Path | None = None) -> dict[str, Listed]:
        """What Codex itself says of every hook, by its command."""
        listing = app_server.hooks(self.codex, self.machine, project or self.project)
        assert listing is not None
        return {hook.key: hook for hook in listing.hooks}

    def status(self, command: str, event: str = "pre_tool_use") -> str:
        """Codex's own word for the hook with this command."""
        [found] = [
            hook
            for hook in self.listed().values()
            if hook.command == command and f":{event}:" in hook.key
        ]
        return found.status if found.enabled else "disabled"

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal, without the daemon that it would leave behind."""
        self.config.mkdir(exist_ok=True)
        trusted = f'[projects."{self.project}"]\ntrust_level = "trusted"\n'
        if str(self.project) not in (self.settings.read_text() if self.settings.exists() else ""):
            with self.settings.open("a") as file:
                file.write(trusted)
        with ResponsesServer(untitled(script)) as server:
            command = [
                str(self.codex),
                "--no-daemon",
                "-m",
                MODEL,
                *redirected(server.url),
                *QUIET,
            ]
            with Terminal(
                [*command, *arguments], cwd=self.project, environment=self.environment
            ) as terminal:
                yield terminal

    def rollouts(self) -> list[list[dict[str, Any]]]:
        """The records of each session file, oldest first."""
        return [
            [json.loads(line) for line in path.read_bytes().splitlines()]
            for path in sorted(self.config.glob("sessions/**/*.jsonl"))
        ]


def untitled(script: Script) -> Script:
    """On a terminal Codex also asks for a title of the session, offering no tools: no part of it."""
    titles: list[Request] = []

    def without_titles(request: Request) -> Reply | ApiError:
        if not request.body.get("tools"):
            titles.append(request)
            return DONE
        return script(request._replace(round=request.round - len(titles)))

    return without_titles


def group(command: str, **fields: Any) -> dict[str, Any]:
    """A group with one hook, as people write it."""
    return {"hooks": [{"type": "command", "command": command, **fields}]}
