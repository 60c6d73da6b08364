"""A throw-away home directory for the real Claude Code, and the CLI run in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import Script
from runaway.installer.harnesses.claude.drill import Launch, redirected, run
from tests.support.live.terminal import Terminal

KEY = "a-key-that-the-user-once-approved"
ONBOARDED = {
    "hasCompletedOnboarding": True,
    "theme": "dark",
    "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
}


def hooked(**commands: str) -> dict[str, Any]:
    """Settings with one hook per event: `hooked(PreToolUse="command")`."""
    return {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": command}]}]
            for event, command in commands.items()
        }
    }


class ClaudeHome(NamedTuple):
    """`project` is the working directory of every run."""

    claude: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def config(self) -> Path:
        return self.root / ".claude"

    @property
    def settings(self) -> Path:
        return self.config / "settings.json"

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.root), "PATH": os.defpath, "LANG": "C.UTF-8"}

    def write(self, settings: Mapping[str, Any] | bytes, file: Path | None = None) -> None:
        """Puts `settings` into the user's settings, or into `file`."""
        target = file or self.settings
        target.parent.mkdir(parents=True, exist_ok=True)
        content = settings if isinstance(settings, bytes) else json.dumps(settings).encode()
        target.write_bytes(content)

    def run(
        self,
        script: Script,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        **launch: Any,
    ) -> DrillRun:
        """One headless turn; `launch` are fields of `Launch`, `environment` adds to the home's."""
        env = {**self.environment, **(environment or {})}
        return run(Launch(self.claude, self.project, env, arguments=arguments, **launch), script)

    @contextmanager
    def interactive(self, script: Script, *arguments: str) -> Iterator[Terminal]:
        """The CLI on a terminal, past its first-start dialogs, ready for a prompt."""
        trusted = {"projects": {str(self.project): {"hasTrustDialogAccepted": True}}}
        self.write({**ONBOARDED, **trusted}, self.root / ".claude.json")
        with MessagesServer(script) as server:
            forced = redirected(server.url, {"env": {"ANTHROPIC_API_KEY": KEY}})
            command = [str(self.claude), "--settings", json.dumps(forced), "--strict-mcp-config"]
            environment = {**self.environment, **forced["env"]}
            with Terminal(
                [*command, *arguments], cwd=self.project, environment=environment
            ) as terminal:
                terminal.wait_for("/effort")
                yield terminal

    def records(self) -> list[dict[str, Any]]:
        """All records of all transcripts, subagents' included."""
        return [
            json.loads(line)
            for transcript in sorted(self.config.rglob("projects/**/*.jsonl"))
            for line in transcript.read_bytes().split(b"\n")
            if line
        ]
