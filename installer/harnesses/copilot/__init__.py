"""GitHub Copilot CLI: a file of our own among its hooks; facts in docs/harnesses/copilot.md."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from ...documents import json_document
from ...launch_command import command_for
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_file, session_ids
from ..base import Detected, Scope, found, no_environment
from ..load import refuse
from . import paths
from .checks import checks as checks
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Copilot CLI"
SCOPES = paths.SCOPES
MOVED_BY = "COPILOT_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start `copilot` sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), paths.folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return paths.folder(machine) / paths.FILE


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.copilot`, which `COPILOT_HOME` may have moved away from since."""
    return (paths.default_folder(machine) / paths.FILE,)


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    shape = paths.shape(machine, path)
    registered = command_for(machine.launcher, LAUNCHER_ARGUMENT)
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(_install_entry, shape=shape, registered=registered),
        remove_entry=partial(hook_file.remove_entry, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _install_entry(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file that Copilot would ignore: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Copilot ignores the whole file {shape.name}"
    refuse(document, problems(document), effect, "copilot-ignores-file")
    return hook_file.install_entry(data, shape, registered)


hook_environment = no_environment


def sample_payload(session: str, number: int) -> bytes:
    payload: dict[str, Any] = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "timestamp": f"2026-11-30T12:00:{number % 60:02d}.000Z",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
    }
    return json.dumps(payload).encode()


def is_denial(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
