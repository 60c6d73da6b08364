"""Everything that keeps Qwen Code from running our hook, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check
from ..entry_checks import Expected
from ..gemini.checks import hurts
from ..load import Settings
from . import paths
from .validation import RULES, problems

MOVED_BY = "QWEN_HOME"
SWITCH = "disableAllHooks"
EXPECTED = Expected(
    paths.NAME,
    "any settings file of Qwen Code",
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
    scopes = {
        **{paths.settings_file(machine, scope, project): scope for scope in paths.SCOPES[::-1]},
        paths.system_file(machine): "system",
    }
    order = (*paths.SCOPES, "system")
    found = sorted(scopes.items(), key=lambda one: order.index(one[1]))
    return tuple(read(machine, scope, path) for path, scope in found)


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    files = all_settings(machine, project)
    own = [one for one in files if one.scope in paths.SCOPES]
    yield from entry_checks.checks(machine, own, EXPECTED)
    yield from file_checks.dropped(machine, paths.NAME, files, "Qwen Code cannot use", hurts)
    yield _switch(machine, files)
    left = (read(machine, "user", paths.default_file(machine)),)
    yield from file_checks.moved(machine, MOVED_BY, paths.folder(machine), left, EXPECTED)
    yield file_checks.no_consent(paths.NAME, "Qwen Code")


def _switch(machine: Machine, files: tuple[Settings, ...]) -> Check:
    """Whatever is true in JavaScript switches hooks off; the file of highest precedence decides."""
    deciding = [one for one in files if one.contents.get(SWITCH) is not None][-1:]
    for one in deciding:
        if one.contents[SWITCH] not in (False, 0, ""):
            if one.scope in paths.SCOPES:
                return file_checks.switch(machine, paths.NAME, one.path, SWITCH)
            return file_checks.managed_switch(paths.NAME, one.path, SWITCH, "every hook")
    return file_checks.no_switch(paths.NAME)
