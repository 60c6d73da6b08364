"""Cursor's settings files; no switch of its own stands in one (docs/harnesses/cursor.md)."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths


def tamper_facts(machine: Machine) -> TamperFacts:
    folder = paths.folder(machine)
    return TamperFacts(
        folder=folder,
        default=folder,
        files=("hooks.json",),
        project=(paths.FILE,),
        further=(paths.enterprise_file(machine),),
        programs=("cursor-agent",),
    )
