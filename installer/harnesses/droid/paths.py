"""Where Droid keeps hooks, and what our entry looks like there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "droid"
# None in a project: hooks of both files are run, and are not told by which id a call is one.
SCOPES: tuple[Scope, ...] = ("user",)
EVENTS = ("PreToolUse",)
TIMEOUT = 10  # seconds
SETTINGS = ".factory/settings.json"
HOOKS = ".factory/hooks.json"  # an event in it replaces that of settings.json


def home(machine: Machine) -> Path:
    """`FACTORY_HOME_OVERRIDE` where it is set, else the home directory."""
    named = machine.variable("FACTORY_HOME_OVERRIDE")
    return machine.cwd / named if named else machine.home


def folder(machine: Machine) -> Path:
    return home(machine) / ".factory"


def settings_file(machine: Machine, scope: Scope, project: Path) -> Path:
    return home(machine) / SETTINGS


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.factory`, which `FACTORY_HOME_OVERRIDE` may have moved away from since."""
    return (machine.home / SETTINGS,)


def folders(project: Path) -> tuple[Path, ...]:
    """Whose settings count there: in a repository of git all those from its root on."""
    above = (project, *project.parents)
    root = next((index for index, path in enumerate(above) if (path / ".git").exists()), 0)
    return above[: root + 1]


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    return Shape(NAME, machine.tilde(path), RULES, EVENTS, handler)
