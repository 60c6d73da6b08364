"""Factory Droid: hooks in settings.json of the user; facts in docs/harnesses/droid.md."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from ...documents import json_document
from ...errors import Refusal
from ...launch_command import command_for
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_file, session_ids
from ..base import Detected, Scope, found, no_environment
from ..load import refuse
from . import paths
from .checks import checks as checks
from .checks import is_outranked
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Droid"
SCOPES = paths.SCOPES
MOVED_BY = "FACTORY_HOME_OVERRIDE"
NEXT_STEPS: tuple[str, ...] = ("Start `droid` sessions that are running anew.",)
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), paths.home(machine) / ".factory")


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return paths.home(machine) / paths.SETTINGS


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.factory`, which `FACTORY_HOME_OVERRIDE` may have moved away from since."""
    return (machine.home / paths.SETTINGS,)


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    shape = paths.shape(machine, path)
    registered = command_for(machine.launcher, LAUNCHER_ARGUMENT)
    other = path.with_name(Path(paths.HOOKS).name)
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(_install_entry, shape=shape, registered=registered, other=other),
        remove_entry=partial(hook_file.remove_entry, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _install_entry(
    data: bytes | None, shape: hook_file.Shape, registered: str, other: Path
) -> Rewrite:
    """Refuses where Droid would not run it: an entry there would only look like protection."""
    if is_outranked(other):
        event = paths.EVENTS[0]
        raise Refusal(
            f"Droid takes {event} from {other.name} beside {shape.name}, and not from the latter.",
            code="droid-other-file",
            fix=f"Move {event} of {other.name} into `hooks` of settings.json.",
        )
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Droid runs no hook of {shape.name}"
    refuse(document, problems(document), effect, "droid-drops-hooks")
    return hook_file.install_entry(data, shape, registered)


hook_environment = no_environment


def sample_payload(session: str, number: int) -> bytes:
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


def is_denial(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
