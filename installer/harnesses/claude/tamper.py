"""Claude Code's settings files, and what keeps it from running hooks; docs/harnesses/claude.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import mods, paths

SIMPLE, SAFE = "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"
MOVING = ("HOME", "XDG_DATA_HOME")  # a portable entry finds our launcher by them
SWITCHES = ("disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization")


def tamper_facts(machine: Machine) -> TamperFacts:
    managed = paths.managed_folder(machine)
    return TamperFacts(
        folder=paths.config_folder(machine),
        default=paths.default_folder(machine),
        files=("settings.json",),
        project=tuple(paths.IN_PROJECT.values()),
        further=(managed / paths.WHOLE, managed / paths.DROP_IN),
        on=(*((name,) for name in SWITCHES), *(("env", name) for name in (SIMPLE, SAFE, *MOVING))),
        words=(*SWITCHES, SIMPLE, SAFE),
        code=mods.DECIDING,
        programs=(paths.NAME,),
        flags=("--bare", "--safe-mode", "--restricted"),
        variables=(SIMPLE, SAFE),
    )
