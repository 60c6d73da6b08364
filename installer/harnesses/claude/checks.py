"""Everything that keeps Claude Code from running our hook, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ... import managed_scope
from ...documents.values import name_of
from ...launch_command import command_for, may_name
from ...machine import Machine
from .. import entry_checks, hook_file
from ..base import Check, Level
from . import environment, paths
from .load import (
    Settings,
    all_settings,
    managed_settings,
    read,
)

# Read from the process environment and from the `env` block of the user's settings.
ENVIRONMENT = {
    "CLAUDE_CODE_SIMPLE": "bare mode",
    "CLAUDE_CODE_SAFE_MODE": "safe mode",
}
ASK_THE_OWNER = "Ask whoever manages this machine."


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    files = all_settings(machine, project)
    managed = managed_settings(machine)
    yield from _installed(machine, (*files, *managed))
    yield from _files(machine, managed)
    yield from _all_hooks(managed)
    silencing = (
        *_files(machine, files),
        *_disabled(machine, files),
        *_managed(managed),
        *_environment(machine, files),
    )
    spared = _is_managed(machine, managed)
    yield from map(_harmless, silencing) if spared else silencing
    yield from environment.checks(machine, (*files, *managed))
    yield from _config_folder(machine)
    yield _check("trusted.consent", "ok", "Claude Code asks for no consent per hook.")


def _is_managed(machine: Machine, managed: tuple[Settings, ...]) -> bool:
    """Is there an entry of the organisation's, which no switch of a person's reaches?"""
    return any(
        entry.handler in _wanted(machine, settings)
        or entry_checks.is_older(entry, _wanted(machine, settings))
        for settings in managed
        if not settings.problem
        for entry in hook_file.entries(settings.document, paths.NAME)
    )


def _wanted(machine: Machine, settings: Settings) -> list[dict[str, Any]]:
    launchers = managed_scope.launchers(machine, settings.scope)
    return [paths.handler(command_for(launcher, paths.NAME)) for launcher in launchers]


def _harmless(check: Check) -> Check:
    if check.level not in ("error", "warning"):
        return check
    message = f"{check.message.rstrip('.')}. The organisation's entry runs all the same."
    return check._replace(level="info", message=message, fix="")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    found = [
        (settings, entry)
        for settings in files
        if settings.document
        for entry in hook_file.entries(settings.document, paths.NAME)
        if entry.event in paths.EVENTS_SINCE
    ]
    rerun = "Run `runaway setup --harness claude`."
    if not found:
        yield _check("installed.entry", "error", "The guard is not in any settings file.", rerun)
        return
    starts = _starts_older(files)
    for settings, entry in found:
        where = f"{machine.tilde(settings.path)} ({name_of(entry.path)})"
        wanted = _wanted(machine, settings)
        fix = managed_scope.RERUN if settings.scope == "managed" else rerun
        if entry.handler in wanted:
            yield _check("installed.entry", "ok", f"The guard is registered in {where}.")
        elif entry_checks.is_older(entry, wanted):
            yield _older(where, fix, starts=starts)
        else:
            message = f"The entry in {where} is not the one that setup writes today."
            same = entry.handler | {"timeout": paths.TIMEOUT} in wanted
            yield _check("installed.entry", "warning" if same else "error", message, fix)
    yield from _bound(machine, found)


def _starts_older(files: tuple[Settings, ...]) -> bool:
    """Earlier entries name their shell without its folder, so they need a PATH that leads there."""
    found = environment.search_path(files)
    return not found or not environment.harm(found[1])


def _older(where: str, fix: str, *, starts: bool) -> Check:
    if starts:
        return _check("installed.entry", "warning", entry_checks.OLDER.format(where), fix)
    message = f"The entry in {where} has an older form, which `env.PATH` of the settings disarms."
    return _check("installed.entry", "error", message, fix)


def _bound(machine: Machine, found: list[tuple[Settings, hook_file.Entry]]) -> Iterator[Check]:
    """Each event once per file, and all that the installed release has."""
    rerun = "Run `runaway setup --harness claude`."
    for path in dict.fromkeys(settings.path for settings, _ in found):
        bound = [entry.event for settings, entry in found if settings.path == path]
        if len(bound) > len(set(bound)):
            message = f"{machine.tilde(path)} holds the guard more than once."
            yield _check("installed.once", "warning", message, rerun)
        for event in sorted(set(paths.events(machine)) - set(bound)):
            message = f"{machine.tilde(path)} binds the guard to {event} only after another setup."
            yield _check("installed.events", "info", message, rerun)


def _files(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    for settings in files:
        if settings.problem:
            level: Level = (
                "error"
                if settings.scope in ("user", "managed") or _holds_ours(settings)
                else "warning"
            )
            what = "refuses to start" if settings.scope == "managed" else "ignores the whole file"
            message = f"Claude Code {what}: {machine.tilde(settings.path)}: {settings.problem}"
            yield _check("allowed.file", level, message, "Correct the file at that place.")


def _holds_ours(settings: Settings) -> bool:
    """A file that does not even parse may hold the guard all the same."""
    try:
        return settings.path.is_file() and may_name(settings.path.read_bytes())
    except OSError:
        return False


def _disabled(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """The file of highest precedence that speaks decides."""
    deciding = [settings for settings in files if "disableAllHooks" in settings.values]
    if deciding and deciding[-1].values["disableAllHooks"] is True:
        path = machine.tilde(deciding[-1].path)
        message = f"`disableAllHooks` in {path} switches every hook off."
        yield _check("allowed.disabled", "error", message, f"Remove `disableAllHooks` from {path}.")
    else:
        yield _check("allowed.disabled", "ok", "No settings file disables hooks.")


def _all_hooks(managed: tuple[Settings, ...]) -> Iterator[Check]:
    """The organisation's own switch reaches its own hooks too."""
    for settings in managed:
        if settings.values.get("disableAllHooks") is True:
            message = (
                f"Your organisation's {settings.path} silences every hook (`disableAllHooks`)."
            )
            yield _check("allowed.managed", "error", message, ASK_THE_OWNER)


def _managed(managed: tuple[Settings, ...]) -> Iterator[Check]:
    for settings in managed:
        only = settings.values.get("strictPluginOnlyCustomization")
        silenced = {
            "allowManagedHooksOnly": settings.values.get("allowManagedHooksOnly") is True,
            "strictPluginOnlyCustomization": only is True
            or (isinstance(only, list) and "hooks" in only),
        }
        for switch, on in silenced.items():
            if on:
                message = f"Your organisation's {settings.path} silences users' hooks (`{switch}`)."
                yield _check("allowed.managed", "error", message, ASK_THE_OWNER)


def _environment(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    block = files[0].values.get("env")
    for name, mode in ENVIRONMENT.items():
        for place, value in (
            ("the environment", machine.variable(name)),
            (machine.tilde(files[0].path), block.get(name) if isinstance(block, dict) else None),
        ):
            if value not in (None, "", "0", "false"):
                message = (
                    f"{name} in {place} starts Claude Code in {mode}, which runs no user hooks."
                )
                yield _check("allowed.environment", "error", message, f"Unset {name}.")


def _config_folder(machine: Machine) -> Iterator[Check]:
    named = machine.environ.get("CLAUDE_CONFIG_DIR")
    if named is not None and not named.strip():
        message = "CLAUDE_CONFIG_DIR is empty: Claude Code reads the current folder, not ~/.claude."
        yield _check("allowed.config-folder", "error", message, "Unset CLAUDE_CONFIG_DIR.")
        return
    default = machine.home / ".claude/settings.json"
    active = paths.config_folder(machine) / "settings.json"
    if active != default:
        orphan = read(machine, "user", default)
        if orphan.document and any(hook_file.entries(orphan.document, paths.NAME)):
            message = (
                f"CLAUDE_CONFIG_DIR points to {machine.tilde(active.parent)}; the entry in "
                f"{machine.tilde(default)} is not read now."
            )
            yield _check("allowed.config-folder", "info", message)
