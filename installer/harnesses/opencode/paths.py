"""Where OpenCode looks for plugins, and what it needs there to start quickly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ...machine import Machine
from ..base import Scope
from .plugin import FILE

NAME = "opencode"
SCOPES: tuple[Scope, ...] = ("user", "project")
FOLDERS = ("plugin", "plugins")  # OpenCode loads the files of both
NO_PROJECT = "OPENCODE_DISABLE_PROJECT_CONFIG"
LIBRARY = "@opencode-ai/plugin"  # what it installs beside every folder of settings


def config_folder(machine: Machine) -> Path:
    """`$XDG_CONFIG_HOME/opencode`; OPENCODE_CONFIG_DIR names a further folder and moves none."""
    named = machine.variable("XDG_CONFIG_HOME")
    return (machine.cwd / named if named else machine.home / ".config") / NAME


def default_folder(machine: Machine) -> Path:
    return machine.home / ".config" / NAME


def plugin_file(machine: Machine, scope: Scope, project: Path) -> Path:
    folder = config_folder(machine) if scope == "user" else project / ".opencode"
    return folder / FOLDERS[0] / FILE


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """Both names of the folder for plugins, today's and where `XDG_CONFIG_HOME` moved it away from."""
    folders = (config_folder(machine), default_folder(machine))
    return tuple(dict.fromkeys(folder / name / FILE for folder in folders for name in FOLDERS))


def folders(machine: Machine, project: Path) -> tuple[Path, ...]:
    """All that are read in this project and are there, each once."""
    further = machine.variable("OPENCODE_CONFIG_DIR")
    found = [config_folder(machine), machine.home / ".opencode"]
    if not machine.variable(NO_PROJECT):
        found += [folder / ".opencode" for folder in _up_to_its_root(project)]
    found += [machine.cwd / further] if further else []
    return tuple(dict.fromkeys(folder for folder in found if folder.is_dir()))


def _up_to_its_root(project: Path) -> Iterator[Path]:
    """The project and those above it, up to that of the repository; without one all of them."""
    for folder in (project, *project.parents):
        yield folder
        if (folder / ".git").exists():
            return


def starts_slowly(folder: Path) -> bool:
    """Will OpenCode install LIBRARY there, and plugins wait for it? The condition is its own."""
    try:
        lock = json.loads((folder / "package-lock.json").read_bytes())
        known = LIBRARY in lock["packages"][""]["dependencies"]
    except (OSError, ValueError, KeyError, TypeError):
        known = False
    return not (known and (folder / "node_modules").is_dir())
