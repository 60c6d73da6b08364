"""The doctor's questions about Codex: is the entry there, may hooks run at all, is ours trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ... import managed_scope
from ...documents.values import name_of
from ...launch_command import command_for, may_name, parse
from ...machine import Machine
from .. import entry_checks, hook_file
from ..base import Check, Level
from . import app_server, paths, trust
from .kill_switches import silenced
from .load import Settings, effect, read

RERUN = "Run `runaway setup --harness codex`."
REVIEW = (
    "Start `codex`, choose `Review hooks` (or type /hooks) and press t on `runaway guard`; or run "
    "`runaway setup --harness codex --trust-codex-hook`."
)
STATES: dict[str, tuple[Level, str]] = {
    "trusted": ("ok", "Codex trusts the guard's hooks ({})."),
    "managed": ("ok", "The guard's hooks ({}) are the machine owner's: they need no trust."),
    "untrusted": ("error", "Codex skips the guard's hooks ({}) in silence: nobody trusted them."),
    "modified": (
        "error",
        "Codex skips the guard's hooks ({}): they changed since they were trusted.",
    ),
    "disabled": ("error", "The guard's hooks ({}) are switched off in Codex."),
    "unknown": ("warning", "Whether Codex trusts the guard's hooks ({}) could not be read."),
}
ENABLE = "Start `codex`, type /hooks and switch `runaway guard` on."


class Placed(NamedTuple):
    """An entry of ours and the file it is in."""

    settings: Settings
    entry: hook_file.Entry


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    files = tuple(_files(machine, project))
    found = [
        Placed(settings, entry)
        for settings in files
        if settings.document
        for entry in hook_file.entries(settings.document, paths.NAME)
        if entry.event in paths.BOUND
    ]
    yield from _installed(machine, found)
    yield from _dropped(machine, files)
    yield from silenced(machine, project, files, is_managed=_is_managed(machine, found))
    yield from _trusted(machine, project, found)


def check(name: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, name, level, message, fix)


def _files(machine: Machine, project: Path) -> Iterator[Settings]:
    """The user's, the project's and the machine owner's, each in both representations."""
    folders = {
        paths.managed_folder(machine): "managed",
        paths.project_folder(project): "project",
        paths.config_folder(machine): "user",  # of a project in the home folder too
    }
    for folder, scope in folders.items():
        for name in (paths.HOOKS, paths.CONFIG):
            yield read(machine, scope, folder / name)
    yield read(machine, "managed", paths.managed_folder(machine) / "managed_config.toml")


def _wanted(machine: Machine, settings: Settings) -> list[dict[str, Any]]:
    launchers = managed_scope.launchers(machine, settings.scope)
    return [paths.handler(command_for(launcher, paths.NAME)) for launcher in launchers]


def _is_managed(machine: Machine, found: list[Placed]) -> bool:
    """Is there an entry of the machine's owner, which Codex runs whatever its users say?"""
    return any(
        settings.scope == "managed"
        and not settings.problem
        and (
            entry.handler in _wanted(machine, settings)
            or entry_checks.is_older(entry, _wanted(machine, settings))
        )
        for settings, entry in found
    )


def _installed(machine: Machine, found: list[Placed]) -> Iterator[Check]:
    if not found:
        yield check("installed.entry", "error", "The guard is not in any hooks file.", RERUN)
    for settings, entry in found:
        where = f"{machine.tilde(settings.path)} ({name_of(entry.path)})"
        if entry.handler in _wanted(machine, settings):
            yield check("installed.entry", "ok", f"The guard is registered in {where}.")
            continue
        fix = managed_scope.RERUN if settings.scope == "managed" else RERUN
        if entry_checks.is_older(entry, _wanted(machine, settings)):
            yield check("installed.entry", "warning", entry_checks.OLDER.format(where), fix)
        else:
            message = f"The entry in {where} is not the one that setup writes today."
            yield check("installed.entry", "error", message, fix)
    for path in dict.fromkeys(placed.settings.path for placed in found):
        bound = [placed.entry.event for placed in found if placed.settings.path == path]
        if len(bound) > len(set(bound)):
            message = f"{machine.tilde(path)} holds the guard more than once."
            yield check("installed.once", "warning", message, RERUN)
        for event in sorted(set(paths.BOUND) - set(bound)):
            message = f"{machine.tilde(path)} binds the guard to {event} only after another setup."
            yield check("installed.events", "warning", message, RERUN)


def _dropped(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    for settings in files:
        if settings.is_unknown:
            yield check("allowed.file", "warning", f"{settings.problem}.", "Look with `codex`.")
        elif settings.problem:
            name = machine.tilde(settings.path)
            serious = settings.in_toml or settings.scope != "project" or _holds_ours(settings)
            message = f"Codex {effect(name)} {name}: {settings.problem}."
            fix = "Correct the file at that place."
            yield check("allowed.file", "error" if serious else "warning", message, fix)


def _holds_ours(settings: Settings) -> bool:
    try:
        return may_name(settings.path.read_bytes())
    except OSError:
        return False


def _trusted(machine: Machine, project: Path, found: list[Placed]) -> Iterator[Check]:
    """Computed from the files, and asked of Codex itself where it is on this machine."""
    config = read(machine, "user", paths.config_folder(machine) / paths.CONFIG)
    launchers = managed_scope.launchers(machine, "managed")
    computed: dict[str, str] = {}
    for settings in dict.fromkeys(placed.settings for placed in found):
        for hook in trust.hooks_in(settings.values, settings.path):
            if _is_ours(hook.command, launchers) and hook.event in paths.BOUND:
                managed = settings.scope == "managed"
                known = "unknown" if config.is_unknown else trust.status(hook, config.values)
                computed[hook.key] = "managed" if managed else known
    told = _ask(machine, project) if computed else None
    if told is None:
        yield from _states(computed)
        return
    yield from _compared(computed, told, launchers)


def _is_ours(command: str, launchers: tuple[Path, ...]) -> bool:
    found = parse(command)
    return found is not None and found.harness == paths.NAME and found.launcher in launchers


def _ask(machine: Machine, project: Path) -> app_server.Listing | None:
    program = machine.program("codex")
    if program is None or not paths.config_folder(machine).is_dir():
        return None
    return app_server.hooks(program, machine, project)


def _states(states: dict[str, str]) -> Iterator[Check]:
    """One line for all hooks of which the same is true."""
    for status in dict.fromkeys(states.values()):
        events = ", ".join(event_of(key) for key in states if states[key] == status)
        level, message = STATES.get(
            status, ("error", f"Codex calls the guard's hooks ({{}}) {status}.")
        )
        fix = ENABLE if status == "disabled" else "" if level == "ok" else REVIEW
        yield check("trusted.consent", level, message.format(events), fix)


def event_of(key: str) -> str:
    """`.../hooks.json:pre_tool_use:0:0` -> `PreToolUse`."""
    name = key.rsplit(":", 3)[1]
    return "".join(word.capitalize() for word in name.split("_"))


def _compared(
    computed: dict[str, str], told: app_server.Listing, launchers: tuple[Path, ...]
) -> Iterator[Check]:
    """Where the two differ, Codex is right and we say so."""
    listed = {hook.key: hook for hook in told.hooks if _is_ours(hook.command, launchers)}
    for problem in told.problems:
        yield check("allowed.warning", "warning", f"Codex says: {problem}.")
    if not listed:
        message = "Codex itself lists no hook of the guard, so none is run in this folder."
        yield check("allowed.listed", "error", message, "See the other lines; try --drill.")
        return
    said = {key: hook.status if hook.enabled else "disabled" for key, hook in listed.items()}
    yield from _states(said)
    for key in computed.keys() - said.keys():
        message = f"This release of Codex has no {event_of(key)} hook; newer ones use it."
        yield check("trusted.consent", "info", message)
    for key in said.keys() & computed.keys():
        if computed[key] not in (said[key], "unknown"):
            message = (
                f"Codex calls {event_of(key)} {said[key]}; its files look {computed[key]} to us."
            )
            yield check("trusted.agreement", "warning", message, "Please report it.")
