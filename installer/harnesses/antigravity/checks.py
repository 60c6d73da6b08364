"""What Antigravity makes of its hooks.json, and what keeps it from running our hook, for the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check
from ..entry_checks import Expected
from ..load import Settings
from . import paths
from .validation import RULES, problems

PROVEN = "0.1.22"  # of the package google-antigravity, whose core runs hooks
EXPECTED = Expected(
    paths.NAME,
    f"the user's ~/.gemini/{paths.HOOKS}",
    paths.NAME,
    paths.handler,
    paths.EVENTS,
    free="timeout",
)


def read(machine: Machine) -> Settings:
    return load.read_json(machine, "user", paths.hooks_file(machine), RULES, problems)


def checks(machine: Machine, _project: Path, *, ask: bool = True) -> Iterator[Check]:
    file = read(machine)
    yield from entry_checks.checks(machine, (file,), EXPECTED)
    yield from file_checks.dropped(
        machine, paths.NAME, (file,), "Antigravity drops, without a word,"
    )
    yield _switch(machine, file)
    message = (
        f"What hooks may do was measured on the core {PROVEN} (google-antigravity), not on the "
        "editor or `agy`."
    )
    yield Check(paths.NAME, "allowed.release", "info", message)
    yield file_checks.no_consent(paths.NAME, "Antigravity")


def _switch(machine: Machine, file: Settings) -> Check:
    hooks = file.values.get("hooks")
    if isinstance(hooks, dict) and hooks.get("enabled") is False:
        return file_checks.switch(machine, paths.NAME, file.path, "hooks.enabled: false")
    return file_checks.no_switch(paths.NAME)
