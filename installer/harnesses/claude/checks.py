"""Everything that keeps Claude Code from running our hook, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...machine import Machine
from .. import clients, entry_checks, file_checks
from ..base import Check
from ..entry_checks import OLDER, Expected
from ..load import Settings
from . import environment, mods, paths
from .load import all_settings, managed_settings, read

MOVED_BY = "CLAUDE_CONFIG_DIR"
RERUN = "Run `runaway setup --harness claude`: it takes that event back."
# Read from the process environment and from the `env` block of the user's settings.
ENVIRONMENT = {
    "CLAUDE_CODE_SIMPLE": "bare mode",
    "CLAUDE_CODE_SAFE_MODE": "safe mode",
}
SWITCH = "disableAllHooks"
DISARMED = "The entry in {} has an older form, which `env.PATH` of the settings disarms."
EXPECTED = Expected(
    paths.NAME,
    "any settings file of Claude Code",
    paths.NAME,
    paths.handler,
    paths.DECIDING,
    once=tuple(paths.EVENTS_SINCE),
    free="timeout",
)


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    files = all_settings(machine, project, ask=ask)
    managed = managed_settings(machine, ask=ask)
    expected = _expected(machine, (*files, *managed), ask=ask)
    yield from entry_checks.checks(machine, (*files, *managed), expected)
    yield from _no_client(machine, (*files, *managed), expected, ask=ask)
    yield from file_checks.dropped(machine, paths.NAME, managed, "Claude Code refuses to start:")
    yield from _all_hooks(managed)
    silencing = (
        *_dropped(machine, files, ask=ask),
        *mods.checks(machine, project, ask=ask),
        *_disabled(machine, files),
        *_managed(managed),
        *_environment(machine, files),
    )
    spared = entry_checks.is_managed(machine, managed, expected)
    yield from map(_harmless, silencing) if spared else silencing
    yield from environment.checks(machine, (*files, *managed))
    yield from _config_folder(machine, ask=ask)
    yield file_checks.no_consent(paths.NAME, "Claude Code")


def _dropped(machine: Machine, files: tuple[Settings, ...], *, ask: bool) -> Iterator[Check]:
    """By the oldest program that reads them; where our own entry is what it stumbles over, we mend it."""
    found = paths.find_clients(machine, ask=ask)
    oldest = clients.oldest(found)
    several = len({client.version for client in found}) > 1
    reader = oldest.named(machine, "Claude Code") if oldest and several else "Claude Code"
    for one in files:
        ours = any(f"hooks.{event} " in one.problem for event in EXPECTED.once)
        for check in file_checks.dropped(
            machine, paths.NAME, (one,), f"{reader} ignores the whole file"
        ):
            yield check._replace(fix=RERUN) if ours else check


def _no_client(
    machine: Machine, files: tuple[Settings, ...], expected: Expected, *, ask: bool
) -> Iterator[Check]:
    """Setup binds what every release knows where it finds none, and sees less."""
    bound = {entry.event for one in entry_checks.placed(files, expected) for entry in one.entries}
    if ask and bound and not bound.issuperset(EXPECTED.once) and not paths.oldest(machine):
        missing = ", ".join(event for event in EXPECTED.once if event not in bound)
        message = (
            f"Claude Code was not found on this machine, so the guard is not bound to {missing} and "
            "notices some failures late."
        )
        fix = "With Claude Code on PATH, run `runaway setup --refresh`."
        yield expected.check("client", "warning", message)._replace(fix=fix)


def _expected(machine: Machine, files: tuple[Settings, ...], *, ask: bool) -> Expected:
    """What the installed release knows; an older entry needs a PATH that leads to its shell."""
    later = paths.events(machine, ask=ask)[len(paths.DECIDING) :]
    found = environment.search_path(files)
    if found and environment.harm(found[1]):
        return EXPECTED._replace(later=later, older=("error", DISARMED))
    return EXPECTED._replace(later=later, older=("warning", OLDER))


def _harmless(check: Check) -> Check:
    if check.level not in ("error", "warning"):
        return check
    message = f"{check.message.rstrip('.')}. The organisation's entry runs all the same."
    return check._replace(level="info", message=message, fix="")


def _disabled(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """The file of highest precedence that speaks decides."""
    deciding = [settings for settings in files if SWITCH in settings.values]
    if deciding and deciding[-1].values[SWITCH] is True:
        yield file_checks.switch(machine, paths.NAME, deciding[-1].path, SWITCH)
    else:
        yield file_checks.no_switch(paths.NAME)


def _all_hooks(managed: tuple[Settings, ...]) -> Iterator[Check]:
    """The organisation's own switch reaches its own hooks too."""
    for settings in managed:
        if settings.values.get(SWITCH) is True:
            yield file_checks.managed_switch(paths.NAME, settings.path, SWITCH, "every hook")


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
                yield file_checks.managed_switch(paths.NAME, settings.path, switch)


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
                yield Check(paths.NAME, "allowed.environment", "error", message, f"Unset {name}.")


def _config_folder(machine: Machine, *, ask: bool) -> Iterator[Check]:
    named = machine.environ.get(MOVED_BY)
    if named is not None and not named.strip():
        message = f"{MOVED_BY} is empty: Claude Code reads the current folder, not ~/.claude."
        yield Check(paths.NAME, "allowed.config-folder", "error", message, f"Unset {MOVED_BY}.")
        return
    default = paths.default_folder(machine) / "settings.json"
    left = (read(machine, "user", default, ask=ask),)
    folder = paths.config_folder(machine)
    yield from file_checks.moved(machine, MOVED_BY, folder, left, EXPECTED)
