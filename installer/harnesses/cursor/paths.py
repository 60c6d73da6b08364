"""Where Cursor keeps hooks, what our entry looks like there, and how our command is spelled."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..claude import paths as claude
from ..hook_file import Shape
from .validation import RULES, VERSION

NAME = "cursor"
# Cursor also runs hooks of Claude Code's files, and drops those whose command stands, byte for byte, in
# its own: so ours is the same in both, and the guard knows by the payload who calls.
LAUNCHER_ARGUMENT = claude.NAME
SCOPES: tuple[Scope, ...] = ("user", "project")
EVENTS = (
    "preToolUse",  # to deny
    "postToolUse",  # results
    "postToolUseFailure",
    "beforeSubmitPrompt",  # to hold back past a cap; a new prompt clears counts
    "afterAgentResponse",  # tokens
    "stop",
)
TIMEOUT = 10  # seconds
FILE = ".cursor/hooks.json"
ENTERPRISE = {"darwin": "Library/Application Support/Cursor", "linux": "etc/cursor"}
LOGS = {"darwin": "Library/Application Support/Cursor/logs", "linux": ".config/Cursor/logs"}


def folder(machine: Machine) -> Path:
    """Always below the home directory: no variable moves it."""
    return machine.home / ".cursor"


def hooks_file(machine: Machine, scope: Scope, project: Path) -> Path:
    if scope == "managed":
        return enterprise_file(machine)
    return (machine.home if scope == "user" else project) / FILE


def legacy_paths(_machine: Machine) -> tuple[Path, ...]:
    """None: no variable moves the folder."""
    return ()


def enterprise_file(machine: Machine) -> Path:
    """Where an organisation's hooks are."""
    return machine.root / ENTERPRISE.get(sys.platform, ENTERPRISE["linux"]) / "hooks.json"


def claude_files(machine: Machine, project: Path) -> tuple[Path, ...]:
    """Those of Claude Code that Cursor reads: always below home, whatever CLAUDE_CONFIG_DIR says."""
    user = claude.default_folder(machine) / "settings.json"
    return (user, *(project / name for name in claude.IN_PROJECT.values()))


def trust_marker(machine: Machine, project: Path) -> Path:
    """Written when a person trusts the project in cursor-agent."""
    named = machine.variable("CURSOR_DATA_DIR")
    base = machine.cwd / named if named else folder(machine)
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in str(project)).split()
    return base / "projects" / "-".join(words) / ".workspace-trusted"


def log_folder(machine: Machine) -> Path:
    """The editor's own logs; the place is known for Linux only, elsewhere it is the usual one."""
    return machine.home / LOGS.get(sys.platform, LOGS["linux"])


def linked(project: Path) -> Path | None:
    """A symbolic link on the way from a project to its hooks: Cursor refuses to follow it."""
    path = project / FILE
    return next((step for step in (path.parent, path) if step.is_symlink()), None)


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    name = machine.tilde(path)
    return Shape(LAUNCHER_ARGUMENT, name, RULES, EVENTS, handler, flat=True, version=VERSION)
