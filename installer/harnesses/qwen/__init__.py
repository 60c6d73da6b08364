"""Qwen Code: hooks in settings.json of two scopes; facts in docs/harnesses/qwen.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from runaway.guard.words import MARKER
from runaway.installer.command import command_for
from runaway.installer.documents import json_document
from runaway.installer.harnesses import hook_file, session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found, no_environment
from runaway.installer.harnesses.drilled import counting, drilled
from runaway.installer.harnesses.qwen import places
from runaway.installer.harnesses.qwen.settings import faults
from runaway.installer.harnesses.reading import refuse
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Qwen Code"
SCOPES = places.SCOPES
MOVED_BY = "QWEN_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start Qwen Code sessions that are running anew: they read hooks only at their start.",
)

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), places.folder(machine))


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
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _wire(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file whose hooks are not run: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Qwen Code cannot use {shape.name}"
    refuse(document, faults(document), effect, "qwen-silences-hooks")
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.qwen import switches

    yield from switches.checks(machine, project)


hook_environment = no_environment


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import qwen as drills  # brings a web server with it
    from runaway.installer.drill.outcome import DrillReport

    def run(program: Path) -> DrillReport:
        return drills.drill(
            program,
            MARKER,
            settings=places.settings_file(machine, "user", machine.home),
            environment=machine.environ,
            project=project,
            on_progress=counting(progress),
        )

    return drilled(machine, NAME, DISPLAY, run)


def sample(session: str, number: int) -> bytes:
    payload = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "permission_mode": "yolo",
        "tool_name": "read_file",
        "tool_input": {"file_path": "/nonexistent"},
        "tool_call_id": f"call_{session_ids.of_call(session, number, 24)}",
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
