"""What Copilot makes of our file, and everything that keeps it from running our hook, for the doctor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ... import launch_command
from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check, Level
from ..claude import paths as claude
from ..entry_checks import Expected
from ..load import Settings
from . import paths
from .validation import RULES, problems

MOVED_BY = "COPILOT_HOME"
EXPECTED = Expected(
    paths.NAME,
    f"{paths.FILE} of Copilot's folder",
    paths.NAME,
    paths.handler,
    paths.EVENTS,
    free="timeout",
    twice="error",
)


def read(machine: Machine, folder: Path) -> Settings:
    """Our file below this folder; a missing one is an empty one."""
    return load.read_json(machine, "user", folder / paths.FILE, RULES, problems)


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    folder, root = paths.folder(machine), paths.root_of(project)
    files = (read(machine, folder),)
    yield from entry_checks.checks(machine, files, EXPECTED)
    yield from file_checks.dropped(machine, paths.NAME, files, "Copilot ignores the whole file")
    yield from _switched_off(machine, root)
    yield from _managed(machine)
    yield from _twice(machine, root)
    left = (read(machine, paths.default_folder(machine)),)
    yield from file_checks.moved(machine, MOVED_BY, (folder / paths.FILE).parent, left, EXPECTED)
    yield _check("trusted.consent", "ok", "Hooks in the home directory need no consent.")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _switched_off(machine: Machine, root: Path) -> Iterator[Check]:
    """One line in a project's settings silences the user's hooks too; other files silence their own."""
    inside = (root / name for name in paths.IN_PROJECT)
    off = [path for path in inside if _values(path).get("disableAllHooks") is True]
    for path in off:
        yield file_checks.switch(
            machine, paths.NAME, path, "disableAllHooks", "every hook, the user's too,"
        )
    if not off:
        yield file_checks.no_switch(paths.NAME)


def _values(path: Path) -> dict[str, Any]:
    """As Copilot reads a project's settings: plain JSON, or else nothing."""
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _managed(machine: Machine) -> Iterator[Check]:
    path, switch = paths.managed_file(machine), "allowManagedHooksOnly"
    if _values(path).get(switch) is True:
        yield file_checks.managed_switch(paths.NAME, path, switch)


def _twice(machine: Machine, root: Path) -> Iterator[Check]:
    for path in (root / name for name in claude.IN_PROJECT.values()):
        if launch_command.may_name(path.read_bytes() if path.is_file() else b""):
            message = (
                f"Where the folder is trusted, Copilot also runs the guard of {machine.tilde(path)}: "
                "it says nothing there, and no call counts twice."
            )
            yield _check("allowed.once", "info", message)
