"""Everything that keeps Gemini CLI from running our hook, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...documents.json_document import Document
from ...documents.values import name_of
from ...launch_command import command_for, commands_for, may_name
from ...machine import Machine
from .. import entry_checks, hook_file, load
from ..base import Check, Level
from ..claude import paths as claude
from . import paths, trust
from .validation import RULES, problems

RERUN = "Run `runaway setup --harness gemini`."
FALSE = (False, 0, "", "false")  # what Gemini CLI takes for false


class Settings(NamedTuple):
    """One settings file: its document, and what is wrong with it for Gemini CLI."""

    scope: str
    path: Path
    document: Document | None
    problem: str = ""

    @property
    def values(self) -> dict[str, Any]:
        values = self.document.value if self.document else {}
        return values if isinstance(values, dict) else {}

    @property
    def switches(self) -> dict[str, Any]:
        found = self.values.get("hooksConfig")
        return found if isinstance(found, dict) else {}

    @property
    def is_ours(self) -> bool:
        """One that setup may write to."""
        return self.scope in paths.SCOPES


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one, but one that is empty is not."""
    document, problem = load.load(path, machine.tilde(path), RULES, problems)
    if document and not document.source.text.strip():
        problem = "it does not start with an empty file"
    return Settings(scope, path, document, problem)


def all_settings(machine: Machine, project: Path) -> tuple[Settings, ...]:
    """Of rising precedence. Where home is the project, its file is the user's only."""
    defaults, system = paths.system_files(machine)
    scopes = {
        defaults: "defaults",
        **{paths.settings_file(machine, scope, project): scope for scope in paths.SCOPES[::-1]},
        system: "system",
    }
    order = ("defaults", *paths.SCOPES, "system")
    found = sorted(scopes.items(), key=lambda one: order.index(one[1]))
    return tuple(read(machine, scope, path) for path, scope in found)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    files = all_settings(machine, project)
    yield from _installed(machine, files)
    yield from _copies(machine, files)
    yield from _files(machine, files)
    yield from _disabled(machine, files)
    yield from _moved(machine)
    yield from trust.checks(
        machine, project, [one.values for one in files if one.scope != "project"]
    )


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Hooks of all files are run, so what the user's file binds is bound in every project."""
    found = [(one, _entries(one, paths.NAME)) for one in files if one.is_ours]
    if not any(entries for _, entries in found):
        message = "The guard is in no settings file of Gemini CLI."
        yield _check("installed.entry", "error", message, RERUN)
    everywhere = {entry.event for one, entries in found if one.scope == "user" for entry in entries}
    handler = paths.handler(command_for(machine.launcher, paths.NAME))
    wanted = entry_checks.Wanted(paths.NAME, (handler,), paths.EVENTS, "name", RERUN)
    for one, entries in found:
        if entries:
            yield from entry_checks.checks(
                machine, one.path, entries, wanted, frozenset(everywhere)
            )


def _entries(one: Settings, harness: str) -> list[hook_file.Entry]:
    return entry_checks.entries(one.document, harness, paths.EVENTS)


def _copies(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """`gemini hooks migrate` copies Claude Code's hooks, with seconds that it reads as milliseconds."""
    for one in files:
        for entry in _entries(one, claude.NAME):
            where = f"{machine.tilde(one.path)} ({name_of(entry.path)})"
            message = f"{where} is a copy of Claude Code's entry, which does nothing here."
            yield _check("installed.copy", "warning", message, f"Remove it. {RERUN}")


def _files(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Whichever it is: one that does not parse keeps Gemini CLI from starting, and hooks are merged."""
    for one in files:
        if one.problem:
            hurts = one.scope != "project" or one.document is not None or _holds_ours(one)
            level: Level = "error" if hurts else "warning"
            message = f"Gemini CLI cannot use {machine.tilde(one.path)}: {one.problem}."
            yield _check("allowed.file", level, message, "Correct the file at that place.")


def _holds_ours(one: Settings) -> bool:
    """A file that does not even parse may hold the guard all the same."""
    try:
        return may_name(one.path.read_bytes())
    except OSError:
        return False


def _disabled(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """`enabled` is decided by the file of highest precedence that has it, `disabled` by any."""
    deciding = [one for one in files if one.switches.get("enabled") is not None]
    off = [one for one in deciding[-1:] if one.switches["enabled"] in FALSE]
    yield from (_switch(machine, one, "hooksConfig.enabled", "every hook") for one in off)
    ours = (paths.HOOK_NAME, *commands_for(machine.launcher, paths.NAME))
    named = [one for one in files if _lists(one.switches.get("disabled"), ours)]
    yield from (_switch(machine, one, "hooksConfig.disabled", "the guard") for one in named)
    if not off and not named:
        yield _check("allowed.disabled", "ok", "No settings file disables hooks.")


def _lists(disabled: Any, ours: tuple[str, ...]) -> bool:
    items = disabled if isinstance(disabled, list) else [disabled]
    return any(item in ours for item in items if isinstance(item, str))


def _switch(machine: Machine, one: Settings, switch: str, what: str) -> Check:
    path = machine.tilde(one.path)
    message = f"`{switch}` in {path} switches {what} off."
    if one.is_ours:
        return _check("allowed.disabled", "error", message, f"Change `{switch}` in {path}.")
    return _check("allowed.managed", "error", message, "Ask whoever manages this machine.")


def _moved(machine: Machine) -> Iterator[Check]:
    default = paths.default_file(machine)
    if paths.home(machine) != machine.home:
        orphan = read(machine, "user", default)
        if any(_entries(orphan, paths.NAME)):
            message = (
                f"GEMINI_CLI_HOME is {machine.tilde(paths.home(machine))}; the entry in "
                f"{machine.tilde(default)} is not read now."
            )
            yield _check("allowed.config-folder", "info", message)
