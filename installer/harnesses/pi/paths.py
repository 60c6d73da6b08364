"""Where Pi keeps its settings, loads extensions and puts its sessions."""

from __future__ import annotations

from pathlib import Path

from ...machine import Machine
from ..base import Scope
from ..plugin_file import FILE

NAME = "pi"
SCOPES: tuple[Scope, ...] = ("user",)  # one of a project loads only where the project is trusted
MOVED_BY = "PI_CODING_AGENT_DIR"
EXTENSION = f"extensions/{FILE}"


def default_folder(machine: Machine) -> Path:
    return machine.home / ".pi/agent"


def folder(machine: Machine) -> Path:
    """`$PI_CODING_AGENT_DIR`, where `~` is the home directory."""
    named = machine.variable(MOVED_BY)
    if named and (named == "~" or named.startswith("~/")):
        return machine.home / named[2:]
    return machine.cwd / named if named else default_folder(machine)


def extension(machine: Machine, _scope: str = "user", _project: Path | None = None) -> Path:
    return folder(machine) / EXTENSION


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """The default folder, which the variable may have moved away from since."""
    return (default_folder(machine) / EXTENSION,)


def settings(machine: Machine) -> Path:
    return folder(machine) / "settings.json"


def sessions_folder(machine: Machine) -> Path:
    named = machine.variable("PI_CODING_AGENT_SESSION_DIR")
    return machine.cwd / named if named else folder(machine) / "sessions"
