"""Droid's settings files, and what keeps it from running hooks; docs/harnesses/droid.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths

SWITCH = "hooksDisabled"


def tamper_facts(machine: Machine) -> TamperFacts:
    project = (paths.SETTINGS, paths.HOOKS)
    return TamperFacts(
        folder=(paths.home(machine) / paths.SETTINGS).parent,
        default=(machine.home / paths.SETTINGS).parent,
        files=tuple(name.rpartition("/")[2] for name in project),
        project=project,
        on=((SWITCH,), ("hooks", SWITCH)),
        words=(SWITCH,),
        programs=(paths.NAME,),
    )
