"""Qwen Code's settings files, and what keeps it from running hooks; docs/harnesses/qwen.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths
from .checks import SWITCH


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.folder(machine),
        default=paths.default_file(machine).parent,
        files=("settings.json",),
        project=(paths.FILE,),
        further=(paths.system_file(machine),),
        on=((SWITCH,),),
        words=(SWITCH,),
        programs=(paths.NAME,),
        flags=("--bare", "--safe-mode"),
    )
