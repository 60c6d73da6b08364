"""What Grok Build makes of our file, and everything that keeps it from running our hook."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check
from ..entry_checks import Expected
from ..load import Settings
from . import paths
from .validation import RULES, problems

MOVED_BY = "GROK_HOME"
MANAGED_ONLY = ("allow_managed_hooks_only", "allowManagedHooksOnly")
EXPECTED = Expected(
    paths.NAME,
    f"{paths.FILE} of Grok's folder",
    paths.NAME,
    paths.handler,
    paths.EVENTS,
    free="timeout",
)


def read(machine: Machine, folder: Path) -> Settings:
    """Our file below this folder; a missing one is an empty one."""
    return load.read_json(machine, "user", folder / paths.FILE, RULES, problems)


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    folder = paths.folder(machine)
    files = (read(machine, folder),)
    yield from entry_checks.checks(machine, files, EXPECTED)
    yield from file_checks.dropped(machine, paths.NAME, files, "Grok ignores the whole file")
    yield from _switched_off(machine, folder)
    yield from _managed(machine)
    left = (read(machine, paths.default_folder(machine)),)
    yield from file_checks.moved(machine, MOVED_BY, (folder / paths.FILE).parent, left, EXPECTED)
    yield file_checks.no_consent(paths.NAME, "Grok Build")


def _switched_off(machine: Machine, folder: Path) -> Iterator[Check]:
    """In its list of hooks a person switches off a single one; an organisation's pin, all but its own."""
    off = [(folder / paths.DISABLED, name) for name in _disabled(folder)]
    off += [(path, name) for path in _configs(folder) for name in _pins(path)]
    for path, name in off:
        yield file_checks.switch(machine, paths.NAME, path, name, "the guard")
    if not off:
        yield file_checks.no_switch(paths.NAME)


def _disabled(folder: Path) -> list[str]:
    """Our hooks among those that are not run, by name."""
    path = folder / paths.DISABLED
    try:
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
    except OSError:
        text = ""
    return [line.strip() for line in text.splitlines() if line.strip().startswith(paths.SOURCE)]


def _configs(folder: Path) -> tuple[Path, ...]:
    return tuple(folder / name for name in paths.CONFIGS)


def _pins(path: Path) -> Iterator[str]:
    """Anything but false pins."""
    values = _values(path)
    return (name for name in MANAGED_ONLY if values.get(name, False) is not False)


def _values(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}


def _managed(machine: Machine) -> Iterator[Check]:
    for path in paths.system_files(machine):
        for name in _pins(path):
            yield file_checks.managed_switch(paths.NAME, path, name)
