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
from runaway.installer.documents.values import name_of
from runaway.installer.errors import Refusal
from runaway.installer.harnesses import hook_file
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope
from runaway.installer.harnesses.copilot import places
from runaway.installer.harnesses.copilot.settings import faults
from runaway.installer.machine import Machine
from runaway.installer.observed import leave_out
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Copilot CLI"
SCOPES = places.SCOPES
NEXT_STEPS: tuple[str, ...] = (
    "Start `copilot` sessions that are running anew: they read hooks only at their start.",
)


def detect(machine: Machine) -> Detected | None:
    program, folder = machine.program("copilot"), places.folder(machine)
    found = folder if folder.is_dir() else None
    return Detected(program, found) if program or found else None


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
        snippet=hook_file.snippet(shape, registered),
    )


def _wire(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file that Copilot would ignore: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    for fault in faults(document):
        raise Refusal(
            f"Copilot ignores the whole file {shape.name}: "
            f"{name_of(fault.path)} at {document.place(fault.path)}: {fault.reason}.",
            code="copilot-ignores-file",
            fix="Correct that place, then run `runaway setup` again.",
        )
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.copilot import inspection

    yield from inspection.checks(machine, project)


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import copilot as drills  # brings a web server with it

    program = machine.program("copilot")
    if program is None:
        message = "`copilot` is not on PATH, so there is nothing to drill."
        return (Check(NAME, "drill", "skipped", message),)
    try:
        report = drills.drill(
            program,
            MARKER,
            environment=machine.environ,
            folder=places.folder(machine),
            project=project,
            on_progress=lambda number: progress(f"  request {number}"),
        )
    except Refusal as refusal:
        return (Check(NAME, "drill", "skipped", refusal.text, refusal.fix),)
    leave_out(machine, report.session)
    return (Check(NAME, "drill", report.level, f"The real Copilot CLI: {report.message}."),)


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
