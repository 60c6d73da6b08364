"""Where Grok Build keeps hooks and what outranks them, and what our entry looks like there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "grok"
SCOPES: tuple[Scope, ...] = (
    "user",
)  # a project's hooks need trust, and the user's are run there too
FILE = "hooks/runaway.json"  # our own: every *.json of that folder counts
DISABLED = "disabled-hooks"  # names of hooks that a person has switched off, one a line
SOURCE = "global/runaway:"  # begins the names of ours
CONFIGS = (
    "managed_config.toml",
    "requirements.toml",
)  # that may allow an organisation's hooks alone
EVENTS = (
    "PreToolUse",  # to ask and deny
    "UserPromptSubmit",  # to hold a prompt back past a cap
)
TIMEOUT = 10  # seconds


def folder(machine: Machine) -> Path:
    """`GROK_HOME` where it is set, else `~/.grok`."""
    named = machine.variable("GROK_HOME")
    return machine.cwd / named if named else default_folder(machine)


def default_folder(machine: Machine) -> Path:
    return machine.home / ".grok"


def hooks_file(machine: Machine, scope: Scope, project: Path) -> Path:
    return folder(machine) / FILE


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.grok`, which `GROK_HOME` may have moved away from since."""
    return (default_folder(machine) / FILE,)


def system_files(machine: Machine) -> tuple[Path, ...]:
    """Of whoever manages the machine; only looked at."""
    return tuple(machine.root / "etc/grok" / name for name in CONFIGS)


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    return Shape(NAME, machine.tilde(path), RULES, EVENTS, handler)
