"""Codex's settings files, and what keeps it from running hooks; docs/harnesses/codex.md."""

from __future__ import annotations

from ...machine import Machine
from ..tamper_facts import TamperFacts
from . import paths
from .kill_switches import SWITCHES

FILES = (paths.HOOKS, paths.CONFIG)
MANAGED_ONLY = "allow_managed_hooks_only"


def tamper_facts(machine: Machine) -> TamperFacts:
    managed = paths.managed_folder(machine)
    return TamperFacts(
        folder=paths.config_folder(machine),
        default=paths.default_folder(machine),
        files=FILES,
        project=tuple(f".codex/{name}" for name in FILES),
        further=tuple(managed / name for name in (*FILES, "requirements.toml")),
        on=((MANAGED_ONLY,),),
        off=(*(("features", name) for name in SWITCHES), ("hooks.state", "enabled")),
        words=("codex_hooks", MANAGED_ONLY, "hooks = false", "hooks=false"),
        programs=(paths.NAME,),
        flags=("--ignore-user-config", *_disabling()),
    )


def _disabling() -> tuple[str, ...]:
    return tuple(f"--disable{sign}{name}" for name in SWITCHES for sign in " =")
