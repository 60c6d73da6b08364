"""Where VS Code and its kin keep settings, and the file of hooks that they share with Copilot CLI."""

from __future__ import annotations

import sys
from pathlib import Path

from ...machine import Machine
from ..base import Scope
from ..copilot import paths as copilot
from ..hook_file import Shape

NAME = "vscode"
LAUNCHER_ARGUMENT = copilot.NAME  # one entry for both: the guard knows by the payload who calls
SCOPES: tuple[Scope, ...] = ("user",)
EVENTS = copilot.EVENTS
handler = copilot.handler
HOOKS = "~/.copilot/hooks"  # how `chat.hookFilesLocations` names it
PROGRAMS = ("code", "code-insiders", "codium")
PRODUCTS = ("Code", "Code - Insiders", "VSCodium")
SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".vscode-remote")
SETTINGS = "settings.json"
TRANSCRIPTS = "workspaceStorage/*/GitHub.copilot-chat/transcripts"
POLICY = "etc/vscode/policy.json"  # on Linux; elsewhere in no file
APPLICATIONS = {
    "darwin": "Library/Application Support",
    "linux": ".config",
    "win32": "AppData/Roaming",
}


def hooks_file(machine: Machine, scope: Scope, project: Path) -> Path:
    """Always below the home directory: the editor ignores COPILOT_HOME."""
    return copilot.default_folder(machine) / copilot.FILE


def legacy_paths(_machine: Machine) -> tuple[Path, ...]:
    """None: no variable moves the file."""
    return ()


def user_folders(machine: Machine) -> tuple[Path, ...]:
    """Of each product, and of servers that are used over the network; whether there or not."""
    applications = machine.home / APPLICATIONS.get(sys.platform, APPLICATIONS["linux"])
    if moved := machine.variable("XDG_CONFIG_HOME"):
        applications = machine.cwd / moved
    servers = (machine.home / name / "data/User" for name in SERVERS)
    return (*(applications / name / "User" for name in PRODUCTS), *servers)


def settings_folders(machine: Machine) -> tuple[Path, ...]:
    """A server has settings of its machine besides."""
    machines = (machine.home / name / "data/Machine" for name in SERVERS)
    return (*user_folders(machine), *machines)


def settings_files(machine: Machine) -> tuple[Path, ...]:
    """Those that are there, with the further profiles of each product."""
    found = []
    for folder in settings_folders(machine):
        found += [folder / SETTINGS, *sorted(folder.glob(f"profiles/*/{SETTINGS}"))]
    return tuple(path for path in found if path.is_file())


def transcript_folders(machine: Machine) -> tuple[Path, ...]:
    """Of each workspace in which there was a chat."""
    users = user_folders(machine)
    return tuple(path for folder in users for path in sorted(folder.glob(TRANSCRIPTS)))


def existing_settings_folder(machine: Machine) -> Path:
    """The first product's that has one; else one that is not there."""
    folders = settings_folders(machine)
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def policy_file(machine: Machine) -> Path:
    """Of whoever manages the machine; only looked at."""
    return machine.root / POLICY


def shape(machine: Machine, path: Path) -> Shape:
    return copilot.shape(machine, path)
