"""Where Antigravity reads hooks, and what our entry looks like there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "antigravity"
SCOPES: tuple[Scope, ...] = ("user",)
HOOKS = "config/hooks.json"
EVENTS = ("PreToolUse", "PostInvocation")
BARE = EVENTS[1:]  # whose handlers stand in no group
TIMEOUT = 10  # seconds


def folder(machine: Machine) -> Path:
    """Gemini CLI's folder, in which Antigravity has some of its own."""
    return machine.home / ".gemini"


def data_folder(machine: Machine) -> Path:
    return folder(machine) / "antigravity"


def hooks_file(machine: Machine, _scope: str = "user", _project: Path | None = None) -> Path:
    return folder(machine) / HOOKS


def legacy_paths(_machine: Machine) -> tuple[Path, ...]:
    return ()


def handler(command: str) -> dict[str, Any]:
    return {"type": "command", "command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    """A file is a map of named hooks: ours are in the one that is called `hooks`."""
    return Shape(NAME, machine.tilde(path), RULES, EVENTS, handler, bare=BARE)
