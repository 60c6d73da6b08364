"""Where Gemini CLI keeps settings and trust, and what our entry looks like there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...machine import Machine
from ..base import Scope
from ..hook_file import Shape
from .validation import RULES

NAME = "gemini"
SCOPES: tuple[Scope, ...] = ("user", "project")  # of rising precedence
EVENTS = (
    "BeforeTool",  # to ask, deny and stop
    "BeforeAgent",  # to hold back past a cap; a new prompt clears counts
)
TIMEOUT = 10_000  # milliseconds
HOOK_NAME = "runaway"  # under which a person switches it off; one name and command run once
FILE = ".gemini/settings.json"
SYSTEM = {
    "darwin": "Library/Application Support/GeminiCli/settings.json",
    "linux": "etc/gemini-cli/settings.json",
}


def home(machine: Machine) -> Path:
    """`GEMINI_CLI_HOME` where it is set, else the home directory; `.gemini` is below it."""
    named = machine.variable("GEMINI_CLI_HOME")
    return machine.cwd / named if named else machine.home


def folder(machine: Machine) -> Path:
    return home(machine) / ".gemini"


def settings_file(machine: Machine, scope: Scope, project: Path) -> Path:
    return (home(machine) if scope == "user" else project) / FILE


def default_file(machine: Machine) -> Path:
    """The user's, when no variable has moved it."""
    return machine.home / FILE


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """The user's default, which `GEMINI_CLI_HOME` may have moved away from since."""
    return (default_file(machine),)


def system_files(machine: Machine) -> tuple[Path, Path]:
    """(defaults, settings) of whoever manages the machine: below the user's and above all others."""
    named = machine.variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
    standard = machine.root / SYSTEM.get(sys.platform, SYSTEM["linux"])
    settings = machine.cwd / named if named else standard
    defaults = machine.variable("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
    return (
        machine.cwd / defaults if defaults else settings.parent / "system-defaults.json"
    ), settings


def trusted_folders(machine: Machine) -> Path:
    named = machine.variable("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    return machine.cwd / named if named else folder(machine) / "trustedFolders.json"


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "name": HOOK_NAME, "command": command, "timeout": TIMEOUT}


def shape(machine: Machine, path: Path) -> Shape:
    return Shape(NAME, machine.tilde(path), RULES, EVENTS, handler)
