"""The doctor's questions about Codex: is the entry there, may hooks run at all, is ours trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ... import managed_scope
from ...launch_command import parse
from ...machine import Machine
from .. import entry_checks, file_checks
from ..base import Check, Level
from ..entry_checks import Placed
from ..load import Settings
from . import app_server, paths, trust
from .kill_switches import EXPECTED, silenced
from .load import effect, in_toml, is_unknown, read

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


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    files = tuple(_files(machine, project))
    yield from entry_checks.checks(machine, files, EXPECTED)
    yield from _dropped(machine, files)
    is_managed = entry_checks.is_managed(machine, files, EXPECTED)
    yield from silenced(machine, project, files, is_managed=is_managed)
    yield from _trusted(machine, project, entry_checks.placed(files, EXPECTED), ask=ask)


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


def _dropped(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """A `config.toml` that Codex cannot read keeps it from starting, wherever it is."""
    for one in files:
        if is_unknown(one):
            yield check("allowed.file", "warning", f"{one.problem}.", "Look with `codex`.")
            continue
        what = f"Codex {effect(one.path.name)}"
        yield from file_checks.dropped(machine, paths.NAME, (one,), what, _hurts)


def _hurts(one: Settings) -> bool:
    return in_toml(one) or file_checks.reaches_beyond(one)


def _trusted(
    machine: Machine, project: Path, found: tuple[Placed, ...], *, ask: bool
) -> Iterator[Check]:
    """Computed from the files, and asked of Codex itself where it is on this machine."""
    config = read(machine, "user", paths.config_folder(machine) / paths.CONFIG)
    launchers = managed_scope.launchers(machine, "managed")
    computed: dict[str, str] = {}
    for settings in [one.settings for one in found]:
        for hook in trust.hooks_in(settings.values, settings.path):
            if _is_ours(hook.command, launchers) and hook.event in paths.BOUND:
                managed = settings.scope == "managed"
                known = "unknown" if is_unknown(config) else trust.status(hook, config.values)
                computed[hook.key] = "managed" if managed else known
    told = _ask(machine, project) if computed and ask else None
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
