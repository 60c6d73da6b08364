"""A throw-away home for Cursor's own hook engine, and the engine run in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.cursor_engine import Engine

DRIVER = Path(__file__).with_name("cursor_engine.cjs")
CALL = {
    "conversation_id": "conv",
    "generation_id": "turn",
    "model": "claude-opus-4-5",
    "tool_name": "Shell",
    "tool_input": {"command": "npm test", "cwd": ""},
    "tool_use_id": "t1",
    "cwd": "",
}
Event = tuple[str, Mapping[str, Any]]


class Outcome(NamedTuple):
    """What the engine loaded (file -> event -> hooks), what it rejected, and its merged answers."""

    errors: list[dict[str, str]]
    loaded: dict[str, dict[str, Any]]
    answers: list[dict[str, Any]]
    warnings: list[str]

    @property
    def permissions(self) -> list[str]:
        return [answer.get("permission", "") for answer in self.answers]


class Job(NamedTuple):
    """One start of Cursor in a home: `pipe` or else the here-document carries the payloads."""

    home: Path
    events: Sequence[Event] = ()
    pipe: bool = True
    third_party: bool = True
    shell: str = "/bin/sh"

    @property
    def project(self) -> Path:
        return self.home / "project"

    def as_data(self) -> dict[str, Any]:
        return {
            "home": str(self.home),
            "project": str(self.project),
            "events": self.events,
            "pipe": self.pipe,
            "thirdParty": self.third_party,
            "shell": self.shell,
        }


def run(engine: Engine, jobs: Iterable[Job]) -> list[Outcome]:
    """One process for all: its start is what takes time."""
    order = {"bundle": str(engine.bundle), "jobs": [job.as_data() for job in jobs]}
    done = subprocess.run(
        [engine.node, DRIVER],
        input=json.dumps(order).encode(),
        capture_output=True,
        env={"PATH": os.defpath, "NODE_PATH": str(engine.modules), "LANG": "C.UTF-8"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    return [Outcome(**outcome) for outcome in json.loads(done.stdout)]


def calls(count: int, **changes: Any) -> list[Event]:
    """Equal calls, each with its result."""
    told: list[Event] = []
    for number in range(1, count + 1):
        call = {**CALL, "tool_use_id": f"t{number}", **changes}
        told.append(("preToolUse", call))
        result = {"tool_output": '{"output":"same","exitCode":0}', "duration": 3}
        told.append(("postToolUse", {**call, **result}))
    return told
