"""Claude Code: hooks in settings.json of three scopes; facts in docs/harnesses.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ...documents import json_document
from ...launch_command import command_for
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_file, session_ids
from ..base import Detected, Scope, found
from ..load import refuse
from . import paths
from .checks import checks as checks
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Claude Code"
SCOPES: tuple[Scope, ...] = (*paths.SCOPES, "managed")
MOVED_BY = "CLAUDE_CONFIG_DIR"
NEXT_STEPS: tuple[str, ...] = (
    "Running Claude Code sessions pick the guard up within seconds; nothing to restart.",
)
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), paths.config_folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return paths.settings_file(machine, scope, project)


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.claude`, which `CLAUDE_CONFIG_DIR` may have moved away from since."""
    if machine.shared:
        return tuple(paths.managed_folder(machine) / n for n in (paths.DROP_IN, paths.WHOLE))
    return (paths.default_folder(machine) / "settings.json",)


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    shape = paths.shape(machine, path)
    registered = command_for(machine.launcher, NAME)
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(_install_entry, machine=machine, shape=shape, registered=registered),
        remove_entry=partial(hook_file.remove_entry, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _install_entry(
    data: bytes | None, machine: Machine, shape: hook_file.Shape, registered: str
) -> Rewrite:
    """Refuses a file that Claude Code would drop: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Claude Code ignores the whole file {shape.name}"
    refuse(document, problems(document, paths.version(machine)), effect, "claude-drops-file")
    return hook_file.install_entry(data, shape, registered)


def hook_environment(machine: Machine, project: Path) -> Mapping[str, str]:
    from . import environment, load

    files = (*load.all_settings(machine, project), *load.managed_settings(machine))
    return environment.of_hooks(files)


def sample_payload(session: str, number: int) -> bytes:
    payload = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "/nonexistent"},
        "tool_use_id": f"toolu_01{session_ids.of_call(session, number, 22)}",
    }
    return json.dumps(payload).encode()


def is_denial(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
