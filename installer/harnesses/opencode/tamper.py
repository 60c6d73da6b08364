"""OpenCode's plugin files, and what keeps it from loading them; docs/harnesses/opencode.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths
from .checks import PURE
from .plugin import FILE

FILES = tuple(f"{folder}/{FILE}" for folder in paths.FOLDERS)


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.config_folder(machine),
        default=paths.default_folder(machine),
        files=FILES,
        project=tuple(f".opencode/{name}" for name in FILES),
        whole=(FILE,),
        words=(PURE,),
        programs=(paths.NAME,),
        flags=("--pure",),
        variables=(PURE,),
    )
