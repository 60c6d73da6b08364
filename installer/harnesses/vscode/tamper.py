"""VS Code's settings files, and what keeps it from running hooks; docs/harnesses/vscode.md."""

from __future__ import annotations

from ...machine import Machine
from ..copilot import paths as copilot
from ..tamper_facts import TamperFacts
from . import paths
from .checks import PLACES, SWITCH


def tamper_facts(machine: Machine) -> TamperFacts:
    """The file of hooks is Copilot CLI's too; of settings only what names these switches matters."""
    folder = copilot.default_folder(machine)
    settings = [one / paths.SETTINGS for one in paths.settings_folders(machine)]
    settings += [one for one in paths.settings_files(machine) if one not in settings]
    return TamperFacts(
        folder=folder,
        default=folder,
        files=(copilot.FILE,),
        project=(f".vscode/{paths.SETTINGS}",),
        further=(*settings, paths.policy_file(machine)),
        off=((SWITCH,), (PLACES, paths.HOOKS), ("ChatHooks",)),
        words=(SWITCH, PLACES),
        programs=paths.PROGRAMS,
    )
