"""Copilot CLI's settings files, and what keeps it from running hooks; docs/harnesses/copilot.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths

SWITCHES = ("disableAllHooks", "allowManagedHooksOnly")


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.folder(machine),
        default=paths.default_folder(machine),
        files=(paths.FILE, "settings.json"),
        project=paths.IN_PROJECT,
        further=(paths.managed_file(machine),),
        on=tuple((name,) for name in SWITCHES),
        words=SWITCHES,
        programs=(paths.NAME,),
    )
