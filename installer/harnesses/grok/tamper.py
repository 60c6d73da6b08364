"""Grok Build's settings files, and what keeps it from running hooks; docs/harnesses/grok.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths
from .checks import MANAGED_ONLY


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.folder(machine),
        default=paths.default_folder(machine),
        files=(paths.FILE, paths.DISABLED, *paths.CONFIGS),
        further=paths.system_files(machine),
        on=tuple((name,) for name in MANAGED_ONLY),
        words=(paths.SOURCE, *MANAGED_ONLY),
        programs=(paths.NAME,),
    )
