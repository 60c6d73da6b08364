"""Antigravity's hooks.json, and what keeps it from running hooks; docs/harnesses/antigravity.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.folder(machine),
        default=paths.folder(machine),
        files=(paths.HOOKS,),
        off=(("hooks", "enabled"),),
        programs=("agy",),
    )
