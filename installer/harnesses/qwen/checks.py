"""Everything that keeps Qwen Code from running our hook, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...documents.json_document import Document
from ...launch_command import command_for, may_name
from ...machine import Machine
from .. import entry_checks, hook_file, load
from ..base import Check, Level
from . import paths
from .validation import RULES, problems

RERUN = "Run `runaway setup --harness qwen`."
SWITCH = "disableAllHooks"


class Settings(NamedTuple):
    """One settings file: its document, and what is wrong with it for Qwen Code."""

    scope: str
    path: Path
    document: Document | None
    problem: str = ""

    @property
    def values(self) -> dict[str, Any]:
        values = self.document.value if self.document else {}
        return values if isinstance(values, dict) else {}


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one, but one that is empty is not."""
    document, problem = load.load(path, machine.tilde(path), RULES, problems)
    if document and not document.source.text.strip():
        problem = "it does not start with an empty file"
    return Settings(scope, path, document, problem)


def all_settings(machine: Machine, project: Path) -> tuple[Settings, ...]:
    """Of rising precedence. Where home is the project, its file is the user's only."""
    scopes = {
        **{paths.settings_file(machine, scope, project): scope for scope in paths.SCOPES[::-1]},
        paths.system_file(machine): "system",
    }
    order = (*paths.SCOPES, "system")
    found = sorted(scopes.items(), key=lambda one: order.index(one[1]))
    return tuple(read(machine, scope, path) for path, scope in found)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    files = all_settings(machine, project)
    yield from _installed(machine, files)
    yield from _files(machine, files)
    yield from _disabled(machine, files)
    yield from _moved(machine)
    yield _check("trusted.consent", "ok", "Qwen Code asks for no consent per hook.")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Hooks of all files are run, so what the user's file binds is bound in every project."""
    found = [(one, _entries(one)) for one in files if one.scope in paths.SCOPES]
    if not any(entries for _, entries in found):
        message = "The guard is in no settings file of Qwen Code."
        yield _check("installed.entry", "error", message, RERUN)
    everywhere = {entry.event for one, entries in found if one.scope == "user" for entry in entries}
    handler = paths.handler(command_for(machine.launcher, paths.NAME))
    wanted = entry_checks.Wanted(paths.NAME, (handler,), paths.EVENTS, "name", RERUN)
    for one, entries in found:
        if entries:
            yield from entry_checks.checks(
                machine, one.path, entries, wanted, frozenset(everywhere)
            )


def _entries(one: Settings) -> list[hook_file.Entry]:
    return entry_checks.entries(one.document, paths.NAME, paths.EVENTS)


def _files(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    for one in files:
        if one.problem:
            hurts = one.scope != "project" or one.document is not None or _holds_ours(one)
            level: Level = "error" if hurts else "warning"
            message = f"Qwen Code cannot use {machine.tilde(one.path)}: {one.problem}."
            yield _check("allowed.file", level, message, "Correct the file at that place.")


def _holds_ours(one: Settings) -> bool:
    """A file that does not even parse may hold the guard all the same."""
    try:
        return may_name(one.path.read_bytes())
    except OSError:
        return False


def _disabled(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Whatever is true in JavaScript switches hooks off; the file of highest precedence decides."""
    deciding = [one for one in files if one.values.get(SWITCH) is not None][-1:]
    for one in deciding:
        if one.values[SWITCH] not in (False, 0, ""):
            path, own = machine.tilde(one.path), one.scope in paths.SCOPES
            message = f"`{SWITCH}` in {path} switches every hook off."
            fix = f"Remove `{SWITCH}` from {path}." if own else "Ask whoever manages this machine."
            yield _check("allowed.disabled" if own else "allowed.managed", "error", message, fix)
            return
    yield _check("allowed.disabled", "ok", "No settings file disables hooks.")


def _moved(machine: Machine) -> Iterator[Check]:
    default = paths.default_file(machine)
    active = paths.settings_file(machine, "user", machine.home)
    if active != default and any(_entries(read(machine, "user", default))):
        message = (
            f"QWEN_HOME is {machine.tilde(active.parent)}; the entry in {machine.tilde(default)} "
            "is not read now."
        )
        yield _check("allowed.config-folder", "info", message)
