"""OpenCode: a plugin of our own instead of a hook; facts in docs/harnesses/opencode.md."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from ...machine import Machine
from ...plan import Target
from .. import session_ids
from ..base import Detected, Scope, found, no_environment
from . import paths, plugin
from .checks import checks as checks

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "OpenCode"
SCOPES = paths.SCOPES
MOVED_BY = "XDG_CONFIG_HOME"
NPM = (
    f"Its first start with a plugin waits until npm has put {paths.LIBRARY} beside its settings; "
    "without network it goes on after more than a minute."
)
NEXT_STEPS: tuple[str, ...] = (
    "Start running OpenCode sessions anew: they read plugins only at their start.",
    NPM,
)
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.opencode


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), paths.config_folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return paths.plugin_file(machine, scope, project)


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """The default folder, which `XDG_CONFIG_HOME` may have moved away from since."""
    return (paths.default_folder(machine) / paths.FOLDERS[0] / plugin.FILE,)


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    """The file is ours as a whole: there, or not there."""
    name = machine.tilde(path)
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(plugin.install_entry, name=name, launcher=machine.launcher),
        remove_entry=partial(plugin.remove_entry, name=name),
        snippet=lambda: plugin.text(machine.launcher).decode(),
    )


hook_environment = no_environment


def sample_payload(session: str, number: int) -> bytes:
    payload = {
        "event": "tool.execute.before",
        "session": session,
        "agent": "",
        "directory": "/",
        "attended": False,
        "tool": "bash",
        "call": f"call_{session_ids.of_call(session, number, 24)}",
        "args": {"command": "true"},
        "told": [],
    }
    return json.dumps(payload).encode()


def is_denial(answer: bytes) -> bool:
    try:
        return "deny" in json.loads(answer)
    except (ValueError, TypeError):
        return False
