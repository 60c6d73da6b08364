"""What Droid makes of its files, and everything that keeps it from running our hook, for the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ... import launch_command
from ...documents import json_document
from ...documents.json_document import Document
from ...errors import Refusal
from ...machine import Machine
from .. import entry_checks, load
from ..base import Check, Level
from . import paths
from .validation import RULES, hook_faults, problems

RERUN = "Run `runaway setup --harness droid`."


class SettingsFile(NamedTuple):
    """One settings.json: its document, and why Droid runs no hook of it where it does not."""

    path: Path
    document: Document | None
    problem: str = ""

    @property
    def hooks(self) -> dict[str, Any]:
        value = self.document.value if self.document and not self.problem else {}
        hooks = value.get("hooks", {})
        return hooks if isinstance(hooks, dict) else {}


def read(machine: Machine, path: Path) -> SettingsFile:
    """A missing file is an empty one."""
    return SettingsFile(path, *load.load(path, machine.tilde(path), RULES, problems))


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


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    file = read(machine, paths.home(machine) / paths.SETTINGS)
    other = paths.home(machine) / paths.HOOKS
    yield from _installed(machine, file)
    yield from _dropped(machine, file)
    yield from _outranked(machine, other)
    yield from _switched_off(machine, file, other, project)
    yield _check("trusted.consent", "ok", "Hooks in the home directory need no consent.")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine, file: SettingsFile) -> Iterator[Check]:
    entries = entry_checks.entries(file.document, paths.NAME, paths.EVENTS)
    if not entries:
        message = f"The guard is not in {machine.tilde(file.path)}."
        yield _check("installed.entry", "error", message, RERUN)
        return
    handler = paths.handler(launch_command.command_for(machine.launcher, paths.NAME))
    wanted = entry_checks.Wanted(paths.NAME, (handler,), paths.EVENTS, "timeout", RERUN, "error")
    yield from entry_checks.checks(machine, file.path, entries, wanted)


def _dropped(machine: Machine, file: SettingsFile) -> Iterator[Check]:
    if file.problem:
        message = f"Droid runs no hook of {machine.tilde(file.path)}: {file.problem}."
        yield _check("allowed.file", "error", message, "Correct the file at that place.")


def _outranked(machine: Machine, other: Path) -> Iterator[Check]:
    if is_outranked(other):
        event = paths.EVENTS[0]
        message = f"Droid takes {event} from {machine.tilde(other)}, and not from settings.json."
        fix = f"Move its {event} into `hooks` of settings.json."
        yield _check("allowed.other", "error", message, fix)


def _switched_off(
    machine: Machine, file: SettingsFile, other: Path, project: Path
) -> Iterator[Check]:
    """One line in a project silences the user's hooks too, without any trust."""
    switches = {file.path: file.hooks, other: hooks_json(other)}
    for folder in paths.folders(project):
        inside = read(machine, folder / paths.SETTINGS)
        switches[inside.path] = inside.hooks
        switches[folder / paths.HOOKS] = hooks_json(folder / paths.HOOKS)
    off = [path for path, hooks in switches.items() if hooks.get("hooksDisabled") is True]
    for path in off:
        message = f"{machine.tilde(path)} switches all hooks off (hooksDisabled)."
        yield _check("allowed.disabled", "error", message, "Remove that line.")
    if not off:
        yield _check("allowed.disabled", "ok", "No settings switch hooks off.")
