"""Factory Droid: hooks in settings.json of the user; facts in docs/harnesses/droid.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from runaway.guard.words import MARKER
from runaway.installer.command import command_for
from runaway.installer.documents import json_document
from runaway.installer.errors import Refusal
from runaway.installer.harnesses import hook_file, session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found, no_environment
from runaway.installer.harnesses.drilled import counting, drilled
from runaway.installer.harnesses.droid import inspection, places
from runaway.installer.harnesses.droid.settings import faults
from runaway.installer.harnesses.reading import refuse
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Droid"
SCOPES = places.SCOPES
MOVED_BY = "FACTORY_HOME_OVERRIDE"
NEXT_STEPS: tuple[str, ...] = ("Start `droid` sessions that are running anew.",)

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), places.home(machine) / ".factory")


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.home(machine) / places.SETTINGS


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    """`~/.factory`, which `FACTORY_HOME_OVERRIDE` may have moved away from since."""
    return (machine.home / places.SETTINGS,)


def at(machine: Machine, scope: str, path: Path) -> Target:
    shape = places.shape(machine, path)
    registered = command_for(machine.launcher, WORD)
    other = path.with_name(Path(places.HOOKS).name)
    return Target(
        NAME,
        scope,
        path,
        wire=partial(_wire, shape=shape, registered=registered, other=other),
        unwire=partial(hook_file.unwire, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _wire(data: bytes | None, shape: hook_file.Shape, registered: str, other: Path) -> Rewrite:
    """Refuses where Droid would not run it: an entry there would only look like protection."""
    if inspection.is_outranked(other):
        event = places.EVENTS[0]
        raise Refusal(
            f"Droid takes {event} from {other.name} beside {shape.name}, and not from the latter.",
            code="droid-other-file",
            fix=f"Move {event} of {other.name} into `hooks` of settings.json.",
        )
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Droid runs no hook of {shape.name}"
    refuse(document, faults(document), effect, "droid-drops-hooks")
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    yield from inspection.checks(machine, project)


hook_environment = no_environment


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import droid as drills  # brings a web server with it
    from runaway.installer.drill.outcome import DrillReport

    def run(program: Path) -> DrillReport:
        return drills.drill(
            program,
            MARKER,
            folder=places.home(machine) / ".factory",
            environment=machine.environ,
            project=project,
            on_progress=counting(progress),
        )

    return drilled(machine, NAME, DISPLAY, run)


def sample(session: str, number: int) -> bytes:
    payload: dict[str, Any] = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "permission_mode": "auto-low",
        "hook_event_name": "PreToolUse",
        "tool_name": "Execute",
        "tool_input": {"command": "true"},
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
