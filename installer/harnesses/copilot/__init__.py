"""GitHub Copilot CLI: a file of our own among its hooks; facts in docs/harnesses/copilot.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from runaway.guard.words import MARKER
from runaway.installer.command import command_for
from runaway.installer.documents import json_document
from runaway.installer.harnesses import hook_file, session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found, no_environment
from runaway.installer.harnesses.copilot import places
from runaway.installer.harnesses.copilot.settings import faults
from runaway.installer.harnesses.drilled import counting, drilled
from runaway.installer.harnesses.reading import refuse
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Copilot CLI"
SCOPES = places.SCOPES
MOVED_BY = "COPILOT_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start `copilot` sessions that are running anew: they read hooks only at their start.",
)

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), places.folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.folder(machine) / places.FILE


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    """`~/.copilot`, which `COPILOT_HOME` may have moved away from since."""
    return (places.default_folder(machine) / places.FILE,)


def at(machine: Machine, scope: str, path: Path) -> Target:
    shape = places.shape(machine, path)
    registered = command_for(machine.launcher, WORD)
    return Target(
        NAME,
        scope,
        path,
        wire=partial(_wire, shape=shape, registered=registered),
        unwire=partial(hook_file.unwire, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _wire(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file that Copilot would ignore: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Copilot ignores the whole file {shape.name}"
    refuse(document, faults(document), effect, "copilot-ignores-file")
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.copilot import inspection

    yield from inspection.checks(machine, project)


hook_environment = no_environment


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import copilot as drills  # brings a web server with it
    from runaway.installer.drill.outcome import DrillReport

    def run(program: Path) -> DrillReport:
        return drills.drill(
            program,
            MARKER,
            environment=machine.environ,
            project=project,
            on_progress=counting(progress),
            folder=places.folder(machine),
        )

    return drilled(machine, NAME, DISPLAY, run)


def sample(session: str, number: int) -> bytes:
    payload: dict[str, Any] = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "timestamp": f"2026-11-30T12:00:{number % 60:02d}.000Z",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
