"""What Kiro makes of our entries, and what keeps it from running them: by its documents, not seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ... import launch_command
from ...machine import Machine
from .. import entry_checks, file_checks, load
from ..base import Check, Level
from ..clients import Client
from ..entry_checks import Expected
from ..load import Settings
from . import own_file, paths
from .validation import RULES, problems

EXPECTED = Expected(
    paths.NAME,
    "any of its agent files",
    paths.NAME,
    paths.agent_handler,
    paths.AGENT_EVENTS,
    free="timeout_ms",
    twice="error",
)
RERUN = "Run `runaway setup --harness kiro`."
READ = (
    "What Kiro does with hooks was read in its documents, not run: that a loop is stopped in it is not "
    "proven."
)
CREATE = (
    "Make one of your own, with its tools: `kiro-cli agent create NAME --from kiro_default`, then "
    f"`kiro-cli agent set-default NAME`. {RERUN}"
)


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    found = paths.readers(machine, ask=ask)
    if found.hook_files:
        yield from _own_file(machine)
    if not found.agents_only:
        yield from _left(machine)
    else:
        yield from _agents(machine, found.agents_only)
        yield from _of_project(machine, project)
    yield from _too_old(machine, ask=ask)
    yield _check("allowed.proof", "info", READ)
    yield _check("trusted.consent", "info", "Its documents tell of no consent per hook.")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _own_file(machine: Machine) -> Iterator[Check]:
    """Our file of hooks, for CLI 3 and IDE 1."""
    path = paths.own_file(machine)
    one = load.read_json(machine, "user", path, RULES, own_file.problems)
    yield from file_checks.dropped(machine, paths.NAME, (one,), "Kiro passes over")
    yield from _changed(machine, one)
    bound = [event for event, command in own_file.commands(one.values) if _starts(command)]
    if not bound:
        yield _entry("error", f"The guard is not in {machine.tilde(path)}.")
    elif paths.EVENTS[0] not in bound:
        message = f"{machine.tilde(path)} does not bind the guard to {paths.EVENTS[0]}."
        yield _check("installed.events", "error", message, RERUN)
    elif _off(one.values):
        yield file_checks.switch(machine, paths.NAME, path, "enabled: false", "the guard")
    elif own_file.is_equal(machine, one.values):
        yield _entry("ok", f"The guard is registered in {machine.tilde(path)}.")
        yield file_checks.no_switch(paths.NAME)
    else:
        yield _entry("error", f"{machine.tilde(path)} is not the one that setup writes today.")


def _entry(level: Level, message: str) -> Check:
    return _check("installed.entry", level, message, "" if level == "ok" else RERUN)


def _starts(command: object) -> bool:
    registered = launch_command.parse(command)
    return registered is not None and registered.harness == paths.NAME


def _changed(machine: Machine, one: Settings) -> Iterator[Check]:
    for _, command in own_file.commands(one.values):
        if launch_command.is_changed(command):
            where = machine.tilde(one.path)
            message = f"{where} starts the guard in a form that setup does not write: `{command}`."
            fix = f"Take that entry out, then {RERUN[0].lower()}{RERUN[1:]}"
            yield _check("installed.changed", "warning", message, fix)


def _off(values: dict[str, Any]) -> bool:
    return any(
        isinstance(hook, dict) and hook.get("enabled") is False for hook in values["hooks"]
    )  # fmt: skip


def _agents(machine: Machine, cli: Client) -> Iterator[Check]:
    """CLI 2: each agent that has a file, and the one that is started without a name."""
    name, files = cli.named(machine, "Kiro CLI"), paths.agent_files(paths.folder(machine))
    if not files:
        message = f"{name} reads hooks in agent files alone, and there is none: nothing is guarded."
        yield _check("installed.entry", "error", message, CREATE)
        return
    settings = [_read(machine, "user", file) for file in files]
    for one in settings:
        yield from entry_checks.checks(
            machine, (one,), EXPECTED._replace(place=_name(machine, one))
        )
    yield from file_checks.dropped(machine, paths.NAME, settings, "Kiro rejects, without a word,")
    active = paths.active_agent(machine)
    if not any(
        active in (file.stem, _told(one)) for file, one in zip(files, settings, strict=True)
    ):
        message = (
            f"{name} starts `{active or 'kiro_default'}` where no agent is named; that one has no "
            "file of yours, so it is not guarded."
        )
        yield _check("allowed.agent", "error", message, CREATE)


def _left(machine: Machine) -> Iterator[Check]:
    """CLI 3 runs agents' own hooks besides, and no call has an id."""
    for file in paths.agent_files(paths.folder(machine)):
        if any(entry_checks.entries(_read(machine, "user", file), EXPECTED)):
            message = f"{machine.tilde(file)} holds the guard too: in CLI 3 calls count twice."
            fix = "Run `runaway uninstall --harness kiro`, then `runaway setup --harness kiro`."
            yield _check("installed.once", "warning", message, fix)


def _read(machine: Machine, scope: str, file: Path) -> Settings:
    return load.read_json(machine, scope, file, RULES, problems)


def _name(machine: Machine, one: Settings) -> str:
    return machine.tilde(one.path)


def _told(one: Settings) -> object:
    """An agent's own name, which its file need not have."""
    return one.values.get("name")


def _of_project(machine: Machine, project: Path) -> Iterator[Check]:
    for file in paths.agent_files(project / ".kiro"):
        if not any(entry_checks.entries(_read(machine, "project", file), EXPECTED)):
            message = f"The agent of {machine.tilde(file)} is not guarded."
            fix = "Put the entry of your own agents into it, or start another one."
            yield _check("allowed.project-agent", "warning", message, fix)


def _too_old(machine: Machine, *, ask: bool) -> Iterator[Check]:
    """The editor before 1.0 has hooks of another form."""
    since = paths.HOOK_FILES_SINCE[paths.IDE]
    for client in paths.clients(machine, ask=ask):
        if client.program.name == paths.IDE and client.version and client.version < since:
            message = (
                f"{client.named(machine, 'Kiro')} is not guarded: hooks of our form came with 1.0."
            )
            yield _check("allowed.release", "error", message, "Update it.")
