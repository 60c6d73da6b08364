"""Kiro's files with hooks, and what keeps it from running them; docs/harnesses/kiro.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths


def tamper_facts(machine: Machine) -> TamperFacts:
    folder = paths.folder(machine)
    return TamperFacts(
        folder=folder,
        default=paths.default_folder(machine),
        files=(paths.FILE,),
        further=paths.agent_files(folder),
        words=('"enabled": false',),
        programs=(paths.CLI, paths.IDE),
    )
