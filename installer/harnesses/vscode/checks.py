"""What VS Code makes of the file of hooks, and which settings keep it from running any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...documents import json_document
from ...documents.json_document import Document, Rules
from ...errors import Refusal
from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check
from ..copilot.paths import FILE
from ..entry_checks import Expected
from ..load import Problem, Settings
from . import paths

RULES = Rules(reader="VS Code", comments=True, trailing_commas=True, bom=True)
SWITCH, PLACES, POLICY = "chat.useHooks", "chat.hookFilesLocations", "ChatHooks"
EXPECTED = Expected(
    paths.NAME,
    f"~/.copilot/{FILE}, which VS Code runs",
    paths.LAUNCHER_ARGUMENT,
    paths.handler,
    paths.EVENTS,
    free="timeout",
)


def problems(document: Document) -> Iterator[Problem]:
    """What makes it skip the whole file; everything else it puts up with."""
    if not isinstance(document.value, dict):
        yield Problem((), "the top level is not an object")
    elif not isinstance(document.value.get("hooks", {}), dict):
        yield Problem(("hooks",), "it must be an object")


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    path = paths.hooks_file(machine, "user", project)
    files: tuple[Settings, ...] = (load.read_json(machine, "user", path, RULES, problems),)
    yield from entry_checks.checks(machine, files, EXPECTED)
    yield from file_checks.dropped(machine, paths.NAME, files, "VS Code skips")
    yield from _switched_off(machine, project)
    if _values(machine, paths.policy_file(machine)).get(POLICY) is False:
        yield file_checks.managed_switch(
            paths.NAME, paths.policy_file(machine), POLICY, "every hook"
        )
    yield file_checks.no_consent(paths.NAME, "VS Code")


def _switched_off(machine: Machine, project: Path) -> Iterator[Check]:
    """In the settings of any product or profile, or of the project."""
    files = (*paths.settings_files(machine), project / ".vscode" / paths.SETTINGS)
    off = [(file, name) for file in files for name in _off(_values(machine, file))]
    for file, name in off:
        yield file_checks.switch(machine, paths.NAME, file, name)
    if not off:
        yield file_checks.no_switch(paths.NAME)


def _off(values: dict[str, Any]) -> Iterable[str]:
    if values.get(SWITCH) is False:
        yield SWITCH
    places = values.get(PLACES)
    if isinstance(places, dict) and places.get(paths.HOOKS) is False:
        yield PLACES


def _values(machine: Machine, path: Path) -> dict[str, Any]:
    """As VS Code reads its settings, with comments; nothing where they cannot be read."""
    try:
        data = path.read_bytes() if path.is_file() else b""
        value = json_document.parse(data, RULES, machine.tilde(path)).value
    except (OSError, Refusal):
        return {}
    return value if isinstance(value, dict) else {}
