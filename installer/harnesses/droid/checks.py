"""What Droid makes of its files, and everything that keeps it from running our hook, for the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...documents import json_document
from ...errors import Refusal
from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check, Level
from ..entry_checks import Expected
from ..load import Settings
from . import paths
from .validation import RULES, hook_faults, problems

MOVED_BY = "FACTORY_HOME_OVERRIDE"
EXPECTED = Expected(
    paths.NAME,
    f"the user's {paths.SETTINGS}",
    paths.NAME,
    paths.handler,
    paths.EVENTS,
    free="timeout",
    twice="error",
)


def read(machine: Machine, scope: str, home: Path) -> Settings:
    """The settings.json of this home or project; a missing file is an empty one."""
    return load.read_json(machine, scope, home / paths.SETTINGS, RULES, problems)


def _hooks(one: Settings) -> dict[str, Any]:
    hooks = one.values.get("hooks", {})
    return hooks if isinstance(hooks, dict) else {}


def hooks_json(path: Path) -> dict[str, Any]:
    """What a hooks.json says, whose events replace those of the settings beside it; {} if dropped."""
    try:
        hooks = json_document.parse(path.read_bytes(), RULES, path.name).value
    except (OSError, Refusal):
        return {}
    return {} if any(hook_faults(hooks, ())) else dict(hooks)


def is_outranked(path: Path) -> bool:
    """Does that file replace the list in which our entry stands?"""
    return any(event in hooks_json(path) for event in paths.EVENTS)


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    home = paths.home(machine)
    file, other = read(machine, "user", home), home / paths.HOOKS
    yield from entry_checks.checks(machine, (file,), EXPECTED)
    yield from file_checks.dropped(machine, paths.NAME, (file,), "Droid runs no hook of")
    yield from _outranked(machine, other)
    yield from _switched_off(machine, file, other, project)
    left = (read(machine, "user", machine.home),)
    yield from file_checks.moved(machine, MOVED_BY, file.path.parent, left, EXPECTED)
    yield _check("trusted.consent", "ok", "Hooks in the home directory need no consent.")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _outranked(machine: Machine, other: Path) -> Iterator[Check]:
    if is_outranked(other):
        event = paths.EVENTS[0]
        message = f"Droid takes {event} from {machine.tilde(other)}, and not from settings.json."
        fix = f"Move its {event} into `hooks` of settings.json."
        yield _check("allowed.other", "error", message, fix)


def _switched_off(machine: Machine, file: Settings, other: Path, project: Path) -> Iterator[Check]:
    """One line in a project silences the user's hooks too, without any trust."""
    switches = {file.path: _hooks(file), other: hooks_json(other)}
    for folder in paths.folders(project):
        switches[folder / paths.SETTINGS] = _hooks(read(machine, "project", folder))
        switches[folder / paths.HOOKS] = hooks_json(folder / paths.HOOKS)
    off = [path for path, hooks in switches.items() if hooks.get("hooksDisabled") is True]
    yield from (file_checks.switch(machine, paths.NAME, path, "hooksDisabled") for path in off)
    if not off:
        yield file_checks.no_switch(paths.NAME)
