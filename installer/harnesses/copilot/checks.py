"""What Copilot makes of our file, and everything that keeps it from running our hook, for the doctor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ... import launch_command
from ...documents.json_document import Document
from ...machine import Machine
from .. import entry_checks, load
from ..base import Check, Level
from ..claude import paths as claude
from . import paths
from .validation import problems

RERUN = "Run `runaway setup --harness copilot`."


class HooksFile(NamedTuple):
    """Our file: its document, and why Copilot ignores it where it does."""

    path: Path
    document: Document | None
    problem: str = ""


def read(machine: Machine) -> HooksFile:
    """A missing file is an empty one."""
    path = paths.folder(machine) / paths.FILE
    rules = paths.shape(machine, path).rules
    return HooksFile(path, *load.load(path, machine.tilde(path), rules, problems))


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    file, root = read(machine), paths.root_of(project)
    yield from _installed(machine, file)
    yield from _ignored(machine, file)
    yield from _switched_off(machine, root)
    yield from _managed(machine)
    yield from _twice(machine, root)
    yield _check("trusted.consent", "ok", "Hooks in the home directory need no consent.")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine, file: HooksFile) -> Iterator[Check]:
    entries = entry_checks.entries(file.document, paths.NAME, paths.EVENTS)
    if not entries:
        message = f"The guard is not in {machine.tilde(file.path)}."
        yield _check("installed.entry", "error", message, RERUN)
        return
    handler = paths.handler(launch_command.command_for(machine.launcher, paths.NAME))
    wanted = entry_checks.Wanted(paths.NAME, (handler,), paths.EVENTS, "timeout", RERUN, "error")
    yield from entry_checks.checks(machine, file.path, entries, wanted)


def _ignored(machine: Machine, file: HooksFile) -> Iterator[Check]:
    if file.problem:
        message = f"Copilot ignores the whole file {machine.tilde(file.path)}: {file.problem}."
        yield _check("allowed.file", "error", message, "Correct the file at that place.")


def _switched_off(machine: Machine, root: Path) -> Iterator[Check]:
    """One line in a project's settings silences the user's hooks too; other files silence their own."""
    off = [
        path
        for path in (root / name for name in paths.IN_PROJECT)
        if _values(path).get("disableAllHooks") is True
    ]
    for path in off:
        message = (
            f"{machine.tilde(path)} switches all hooks off there, yours too (disableAllHooks)."
        )
        yield _check("allowed.disabled", "error", message, "Remove that line.")
    if not off:
        yield _check("allowed.disabled", "ok", "No settings of this project switch hooks off.")


def _values(path: Path) -> dict[str, Any]:
    """As Copilot reads a project's settings: plain JSON, or else nothing."""
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _managed(machine: Machine) -> Iterator[Check]:
    path = paths.managed_file(machine)
    if _values(path).get("allowManagedHooksOnly") is True:
        message = f"{path} allows managed hooks only: yours are not run."
        fix = "Ask whoever manages this machine."
        yield _check("allowed.managed", "error", message, fix)


def _twice(machine: Machine, root: Path) -> Iterator[Check]:
    for path in (root / name for name in claude.IN_PROJECT.values()):
        if launch_command.may_name(path.read_bytes() if path.is_file() else b""):
            message = (
                f"Where the folder is trusted, Copilot also runs the guard of {machine.tilde(path)}: "
                "it says nothing there, and no call counts twice."
            )
            yield _check("allowed.once", "info", message)
