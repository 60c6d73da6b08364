"""What VS Code makes of the file of hooks, and which settings keep it from running any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ... import launch_command
from ...documents import jsonc
from ...documents.json_document import Document, Rules
from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check
from ..claude import paths as claude
from ..copilot import paths as copilot
from ..copilot.checks import EXPECTED as COPILOTS
from ..copilot.checks import MOVED_BY, read
from ..entry_checks import Expected
from ..load import Problem, Settings
from . import paths

RULES = Rules(reader="VS Code", comments=True, trailing_commas=True, bom=True)
SWITCH, PLACES, POLICY = "chat.useHooks", "chat.hookFilesLocations", "ChatHooks"
CLAUDE_TOO = "chat.useClaudeHooks"
EXPECTED = Expected(
    paths.NAME,
    f"~/.copilot/{copilot.FILE}, which VS Code runs",
    paths.LAUNCHER_ARGUMENT,
    paths.handler,
    paths.EVENTS,
    free="timeout",
)
TRUSTED = (
    "No consent per hook is needed. In a workspace that you do not trust the chat does not start."
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
    settings = dict(_settings(machine, project))
    yield from entry_checks.checks(machine, files, EXPECTED)
    yield from file_checks.dropped(machine, paths.NAME, files, "VS Code skips")
    yield from _switched_off(machine, settings)
    yield from _twice(machine, project, settings)
    yield from _other_folder(machine)
    yield Check(paths.NAME, "trusted.consent", "ok", TRUSTED)


def _settings(machine: Machine, project: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Of each product and profile that is there, and of the project; of these all that matters here."""
    for path in (*paths.settings_files(machine), project / ".vscode" / paths.SETTINGS):
        yield path, _values(path, (SWITCH, PLACES, CLAUDE_TOO))


def _values(path: Path, wanted: tuple[str, ...]) -> dict[str, Any]:
    try:
        return jsonc.values(path.read_bytes() if path.is_file() else b"", wanted)
    except OSError:
        return {}


def _switched_off(machine: Machine, settings: dict[Path, dict[str, Any]]) -> Iterator[Check]:
    off = [(file, name) for file, values in settings.items() for name in _off(values)]
    for file, name in off:
        yield file_checks.switch(machine, paths.NAME, file, name)
    if not off:
        yield file_checks.no_switch(paths.NAME)
    policy = paths.policy_file(machine)
    if _values(policy, (POLICY,)).get(POLICY) is False:
        yield file_checks.managed_switch(paths.NAME, policy, POLICY, "every hook")


def _off(values: dict[str, Any]) -> Iterable[str]:
    if values.get(SWITCH) is False:
        yield SWITCH
    places = values.get(PLACES)
    if isinstance(places, dict) and places.get(paths.HOOKS) is False:
        yield PLACES


def _twice(
    machine: Machine, project: Path, settings: dict[Path, dict[str, Any]]
) -> Iterator[Check]:
    """Claude Code's hooks run there too, where a person has said so."""
    if not any(values.get(CLAUDE_TOO) is True for values in settings.values()):
        return
    inside = (project / name for name in claude.IN_PROJECT.values())
    for path in dict.fromkeys((machine.home / ".claude/settings.json", *inside)):
        if launch_command.may_name(path.read_bytes() if path.is_file() else b""):
            text = f"By `{CLAUDE_TOO}` VS Code also runs the guard of {machine.tilde(path)}: "
            yield Check(paths.NAME, "allowed.once", "info", f"{text}no call counts twice.")


def _other_folder(machine: Machine) -> Iterator[Check]:
    """Sessions of the target Copilot go by COPILOT_HOME, which the editor's own chat ignores."""
    folder = copilot.folder(machine)
    if folder == copilot.default_folder(machine):
        return
    if not any(entry_checks.entries(read(machine, folder), COPILOTS)):
        text = (
            f"{MOVED_BY} is set: sessions of the target Copilot run the hooks of "
            f"{machine.tilde(folder)}, where the guard is not."
        )
        fix = "Run `runaway setup --harness copilot`."
        yield Check(paths.NAME, "allowed.config-folder", "warning", text, fix)
