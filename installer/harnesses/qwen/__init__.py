"""Qwen Code: hooks in settings.json of two scopes; facts in docs/harnesses/qwen.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from runaway.guard.words import MARKER
from runaway.installer.command import command_for
from runaway.installer.documents import json_document
from runaway.installer.documents.values import name_of
from runaway.installer.errors import Refusal
from runaway.installer.harnesses import hook_file
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope
from runaway.installer.harnesses.qwen import places, switches
from runaway.installer.harnesses.qwen.settings import faults
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Qwen Code"
SCOPES = places.SCOPES
NEXT_STEPS: tuple[str, ...] = (
    "Start Qwen Code sessions that are running anew: they read hooks only at their start.",
)


def detect(machine: Machine) -> Detected | None:
    program, folder = machine.program("qwen"), places.folder(machine)
    found = folder if folder.is_dir() else None
    return Detected(program, found) if program or found else None


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.settings_file(machine, scope, project)


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    """`~/.qwen`, which `QWEN_HOME` may have moved away from since."""
    return (places.default_file(machine),)


def at(machine: Machine, scope: str, path: Path) -> Target:
    shape = places.shape(machine, path)
    registered = command_for(machine.launcher, NAME)
    return Target(
        NAME,
        scope,
        path,
        wire=partial(_wire, shape=shape, registered=registered),
        unwire=partial(hook_file.unwire, shape=shape),
        snippet=hook_file.snippet(shape, registered),
    )


def _wire(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file whose hooks are not run: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    for fault in faults(document):
        raise Refusal(
            f"Qwen Code cannot use {shape.name}: "
            f"{name_of(fault.path)} at {document.place(fault.path)}: {fault.reason}.",
            code="qwen-silences-hooks",
            fix="Correct that place, then run `runaway setup` again.",
        )
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    yield from switches.checks(machine, project)


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import qwen as drills  # brings a web server with it

    program = machine.program("qwen")
    if program is None:
        message = "`qwen` is not on PATH, so there is nothing to drill."
        return (Check(NAME, "drill", "skipped", message),)
    try:
        report = drills.drill(
            program,
            MARKER,
            settings=places.settings_file(machine, "user", machine.home),
            environment=machine.environ,
            project=project,
            on_progress=lambda number: progress(f"  request {number}"),
        )
    except Refusal as refusal:
        return (Check(NAME, "drill", "skipped", refusal.text, refusal.fix),)
    return (Check(NAME, "drill", report.level, f"The real Qwen Code: {report.message}."),)


def sample(session: str, number: int) -> bytes:
    payload = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "permission_mode": "yolo",
        "tool_name": "read_file",
        "tool_input": {"file_path": "/nonexistent"},
        "tool_call_id": f"{session}-{number}",
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
