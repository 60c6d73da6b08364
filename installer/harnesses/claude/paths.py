"""Where Claude Code keeps settings, and what our entry looks like there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...machine import Machine
from .. import release
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "claude"
SCOPES: tuple[Scope, ...] = ("user", "project", "local")  # of rising precedence
# PostToolBatch sees calls that never reach PreToolUse (an Edit whose text is not found); releases up
# to 2.1.74 drop the whole file for an event that they do not know.
EVENTS_SINCE = {"PreToolUse": (0,), "PostToolBatch": (2, 1, 137)}
DECIDING = ("PreToolUse",)
TIMEOUT = 10  # seconds
IN_PROJECT = {"project": ".claude/settings.json", "local": ".claude/settings.local.json"}
MANAGED = {
    "darwin": "Library/Application Support/ClaudeCode",
    "linux": "etc/claude-code",
}
# Files of the organisation: one of its own for each team that has rules, where a release reads those.
DROP_IN, DROP_IN_SINCE = "managed-settings.d/50-runaway.json", (2, 1, 83)
WHOLE = "managed-settings.json"


def config_folder(machine: Machine) -> Path:
    """`CLAUDE_CONFIG_DIR` where it is set (relative to the current folder), else `~/.claude`."""
    named = machine.variable("CLAUDE_CONFIG_DIR")
    return machine.cwd / named if named else default_folder(machine)


def default_folder(machine: Machine) -> Path:
    return machine.home / ".claude"


def managed_folder(machine: Machine) -> Path:
    """Where an organisation's settings are; they outrank the user's."""
    return machine.root / MANAGED.get(sys.platform, MANAGED["linux"])


def managed_file(machine: Machine) -> Path:
    """A release that is not there yet will read drop-ins."""
    known = version(machine) or DROP_IN_SINCE
    return managed_folder(machine) / (DROP_IN if known >= DROP_IN_SINCE else WHOLE)


def settings_file(machine: Machine, scope: Scope, project: Path) -> Path:
    if scope == "user":
        return config_folder(machine) / "settings.json"
    if scope == "managed":
        return managed_file(machine)
    return project / IN_PROJECT[scope]


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.claude`, which `CLAUDE_CONFIG_DIR` may have moved away from since."""
    if machine.shared:
        return tuple(managed_folder(machine) / name for name in (DROP_IN, WHOLE))
    return (default_folder(machine) / "settings.json",)


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "command": command, "timeout": TIMEOUT}


def version(machine: Machine, *, ask: bool = True) -> tuple[int, ...] | None:
    """Of the `claude` on PATH; None where there is none, or where it is not known without asking."""
    return release.of(machine, NAME, ask=ask)


def events(machine: Machine, *, ask: bool = True) -> tuple[str, ...]:
    """Those that the installed release knows; without one only what every release knows."""
    known = version(machine, ask=ask) or (0,)
    return tuple(event for event, since in EVENTS_SINCE.items() if known >= since)


def shape(machine: Machine, path: Path) -> Shape:
    name, known = machine.tilde(path), tuple(EVENTS_SINCE)
    return Shape(NAME, name, RULES, events(machine), handler, once=known)
