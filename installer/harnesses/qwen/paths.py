"""Where Qwen Code keeps settings, and what our entry looks like there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "qwen"
SCOPES: tuple[Scope, ...] = ("user", "project")  # of rising precedence
EVENTS = (
    "PreToolUse",  # to ask and deny
    "UserPromptSubmit",  # before every request: to end a turn, and to hold a prompt back past a cap
)
TIMEOUT = 10_000  # milliseconds in every release; newer ones take less than 1000 for seconds
HOOK_NAME = "runaway"  # entries of one name and command are run once
FILE = ".qwen/settings.json"
SYSTEM = {
    "darwin": "Library/Application Support/QwenCode/settings.json",
    "linux": "etc/qwen-code/settings.json",
}


def folder(machine: Machine) -> Path:
    """`QWEN_HOME` where it is set, else `~/.qwen`."""
    named = machine.variable("QWEN_HOME")
    return machine.cwd / named if named else machine.home / ".qwen"


def settings_file(machine: Machine, scope: Scope, project: Path) -> Path:
    return folder(machine) / "settings.json" if scope == "user" else project / FILE


def default_file(machine: Machine) -> Path:
    """The user's, when no variable has moved it."""
    return machine.home / FILE


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """The user's default, which `QWEN_HOME` may have moved away from since."""
    return (default_file(machine),)


def system_file(machine: Machine) -> Path:
    """Of whoever manages the machine: above all others."""
    named = machine.variable("QWEN_CODE_SYSTEM_SETTINGS_PATH")
    standard = machine.root / SYSTEM.get(sys.platform, SYSTEM["linux"])
    return machine.cwd / named if named else standard


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "name": HOOK_NAME, "command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    return Shape(NAME, machine.tilde(path), RULES, EVENTS, handler)
