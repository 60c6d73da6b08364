"""Where Copilot CLI keeps hooks and what outranks them, and what our entry looks like there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "copilot"
# None in a project: hooks of two files are both run, and are not told by which id a call is one.
SCOPES: tuple[Scope, ...] = ("user",)
FILE = "hooks/runaway.json"  # our own: every *.json of that folder counts
EVENTS = (
    "PreToolUse",  # to deny
    "UserPromptSubmit",  # to hold back past a cap
)
TIMEOUT = 10  # seconds
IN_PROJECT = (  # any of them switches all hooks off, the user's too, once the folder is trusted
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
)
MANAGED = "etc/github-copilot/managed-settings.json"  # on Linux; not known of others


def folder(machine: Machine) -> Path:
    """`COPILOT_HOME` where it is set (relative to the current folder), else `~/.copilot`."""
    named = machine.environ.get("COPILOT_HOME")  # one of blanks is a folder of that name
    return machine.cwd / named if named else default_folder(machine)


def default_folder(machine: Machine) -> Path:
    return machine.home / ".copilot"


def hooks_file(machine: Machine, scope: Scope, project: Path) -> Path:
    return folder(machine) / FILE


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.copilot`, which `COPILOT_HOME` may have moved away from since."""
    return (default_folder(machine) / FILE,)


def root_of(project: Path) -> Path:
    """Where Copilot looks for a project's settings: in a repository of git, nowhere but at its root."""
    above = (project, *project.parents)
    return next((folder for folder in above if (folder / ".git").exists()), project)


def managed_file(machine: Machine) -> Path:
    """An organisation's settings; only looked at."""
    return machine.root / MANAGED


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    return Shape(NAME, machine.tilde(path), RULES, EVENTS, handler, flat=True)
