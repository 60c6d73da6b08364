"""Gemini CLI's settings files, and what keeps it from running hooks; docs/harnesses/gemini.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths, trust


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.folder(machine),
        default=paths.default_file(machine).parent,
        files=("settings.json", "trustedFolders.json"),
        project=(paths.FILE,),
        further=(*paths.system_files(machine), paths.trusted_folders(machine)),
        off=(("hooksConfig", "enabled"),),
        listed=(("hooksConfig", "disabled"),),
        values=(trust.FORBID,),
        words=("hooksConfig", trust.FORBID),
        programs=(paths.NAME,),
        flags=("hooks disable",),
        variables=("GEMINI_RESTRICTED_MODE",),
    )
