"""Everything that keeps Gemini CLI from running our hook, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...documents.values import name_of
from ...launch_command import commands_for
from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check
from ..claude import paths as claude
from ..entry_checks import Expected
from ..load import Settings
from . import paths, trust
from .validation import RULES, problems

RERUN = "Run `runaway setup --harness gemini`."
MOVED_BY = "GEMINI_CLI_HOME"
FALSE = (False, 0, "", "false")  # what Gemini CLI takes for false
EXPECTED = Expected(
    paths.NAME,
    "any settings file of Gemini CLI",
    paths.NAME,
    paths.handler,
    paths.EVENTS,
    free="name",
)


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one, but one that is empty is not."""
    return load.not_empty(load.read_json(machine, scope, path, RULES, problems))


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


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    files = all_settings(machine, project)
    own = [one for one in files if _is_own(one)]
    yield from entry_checks.checks(machine, own, EXPECTED)
    yield from _copies(machine, files)
    yield from file_checks.dropped(machine, paths.NAME, files, "Gemini CLI cannot use", hurts)
    yield from _disabled(machine, files)
    left = (read(machine, "user", paths.default_file(machine)),)
    yield from file_checks.moved(machine, MOVED_BY, paths.folder(machine), left, EXPECTED)
    yield from trust.checks(
        machine, project, [one.contents for one in files if one.scope != "project"]
    )


def _is_own(one: Settings) -> bool:
    """One that setup may write to."""
    return one.scope in paths.SCOPES


def hurts(one: Settings) -> bool:
    """What parses is merged with the others, be it wrong; so one file may silence all."""
    return one.document is not None or file_checks.reaches_beyond(one)


def _copies(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """`gemini hooks migrate` copies Claude Code's hooks, with seconds that it reads as milliseconds."""
    for one in files:
        for entry in entry_checks.entries(one, EXPECTED._replace(word=claude.NAME)):
            where = f"{machine.tilde(one.path)} ({name_of(entry.path)})"
            message = f"{where} is a copy of Claude Code's entry, which does nothing here."
            fix = f"Remove it. {RERUN}"
            yield Check(paths.NAME, "installed.copy", "warning", message, fix)


def _disabled(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """`enabled` is decided by the file of highest precedence that has it, `disabled` by any."""
    deciding = [one for one in files if _switches(one).get("enabled") is not None]
    off = [one for one in deciding[-1:] if _switches(one)["enabled"] in FALSE]
    yield from (_switch(machine, one, "hooksConfig.enabled", "every hook") for one in off)
    ours = (paths.HOOK_NAME, *commands_for(machine.launcher, paths.NAME))
    named = [one for one in files if _lists(_switches(one).get("disabled"), ours)]
    yield from (_switch(machine, one, "hooksConfig.disabled", "the guard") for one in named)
    if not off and not named:
        yield file_checks.no_switch(paths.NAME)


def _switches(one: Settings) -> dict[str, Any]:
    found = one.contents.get("hooksConfig")
    return found if isinstance(found, dict) else {}


def _lists(disabled: Any, ours: tuple[str, ...]) -> bool:
    items = disabled if isinstance(disabled, list) else [disabled]
    return any(item in ours for item in items if isinstance(item, str))


def _switch(machine: Machine, one: Settings, switch: str, what: str) -> Check:
    if _is_own(one):
        return file_checks.switch(machine, paths.NAME, one.path, switch, what)
    return file_checks.managed_switch(paths.NAME, one.path, switch, what)
