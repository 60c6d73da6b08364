"""What Cursor makes of its files and of Claude Code's: installed, allowed and trusted, for the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ... import launch_command, managed_scope
from ...documents.json_document import Document
from ...machine import Machine
from .. import entry_checks, hook_file, load
from ..base import Check, Level
from . import hook_log, paths, third_party
from .third_party import Hook
from .validation import RULES, problems

RERUN = "Run `runaway setup --harness cursor`."
SETTING = "Include third-party Plugins, Skills, and other configs"
WHERE = f'Cursor Settings > Rules, Skills, Subagents > "{SETTING}" tells; no file does.'


class HooksFile(NamedTuple):
    """One hooks.json: its document, and why Cursor ignores it where it does."""

    scope: str
    path: Path
    document: Document | None
    problem: str = ""

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """The commands that Cursor runs of it."""
        value = self.document.value if self.document and not self.problem else {}
        return tuple(
            Hook(event, entry.get("matcher", ""), entry["command"])
            for event, entries in value.get("hooks", {}).items()
            for entry in entries
            if "command" in entry
        )


def read(machine: Machine, scope: str, path: Path) -> HooksFile:
    """A missing file is an empty one."""
    return HooksFile(scope, path, *load.load(path, machine.tilde(path), RULES, problems))


def own_files(machine: Machine, project: Path) -> tuple[HooksFile, ...]:
    """The user's and the project's; home may be the project."""
    by_file = {paths.hooks_file(machine, scope, project): scope for scope in paths.SCOPES[::-1]}
    return tuple(read(machine, scope, path) for path, scope in reversed(by_file.items()))


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    own = own_files(machine, project)
    files = (*own, read(machine, "managed", paths.enterprise_file(machine)))
    yield from _installed(machine, files)
    yield from _files(machine, files)
    yield from _link(machine, own, project)
    yield from _foreign(machine, project)
    yield from _runs(machine, files, project)
    yield from _trust(machine, own, project)
    yield from hook_log.checks(machine)


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine, files: tuple[HooksFile, ...]) -> Iterator[Check]:
    found = [(one, _entries(one)) for one in files]
    if not any(entries for _, entries in found):
        message = "The guard is in no hooks.json that Cursor reads."
        yield _check("installed.entry", "error", message, RERUN)
    for one, entries in found:
        if entries:
            yield from entry_checks.checks(machine, one.path, entries, _wanted(machine, one))


def _wanted(machine: Machine, one: HooksFile) -> entry_checks.Wanted:
    launchers = managed_scope.launchers(machine, one.scope)
    handlers = [
        paths.handler(launch_command.command_for(it, paths.LAUNCHER_ARGUMENT)) for it in launchers
    ]
    rerun = managed_scope.RERUN if one.scope == "managed" else RERUN
    return entry_checks.Wanted(paths.NAME, tuple(handlers), paths.EVENTS, "timeout", rerun)


def _entries(one: HooksFile) -> list[hook_file.Entry]:
    return entry_checks.entries(one.document, paths.LAUNCHER_ARGUMENT, paths.EVENTS)


def _files(machine: Machine, files: tuple[HooksFile, ...]) -> Iterator[Check]:
    for one in files:
        if one.problem:
            message = f"Cursor ignores the whole file {machine.tilde(one.path)}: {one.problem}."
            level: Level = "error" if one.scope == "user" or _holds_ours(one) else "warning"
            yield _check("allowed.file", level, message, "Correct the file at that place.")


def _holds_ours(one: HooksFile) -> bool:
    """A file that does not even parse may hold the guard all the same."""
    try:
        return launch_command.may_name(one.path.read_bytes())
    except OSError:
        return False


def _link(machine: Machine, own: tuple[HooksFile, ...], project: Path) -> Iterator[Check]:
    link = paths.linked(project)
    if link and any(one.scope == "project" and any(_entries(one)) for one in own):
        message = f"{machine.tilde(link)} is a symbolic link, which Cursor does not follow there."
        fix = "Put a real file there, or use the scope `user`."
        yield _check("allowed.link", "error", message, fix)


def _foreign(machine: Machine, project: Path) -> Iterator[Check]:
    """What becomes of the guard's entries in Claude Code's files."""
    for path, data in _claude_files(machine, project):
        if launch_command.may_name(data):
            taken, name = third_party.taken(data), machine.tilde(path)
            if taken.reason:
                message = f"Cursor takes no hook from {name}: {taken.reason}."
                yield _check("allowed.third-party", "info", message)
            else:
                message = f"While third-party hooks are on, Cursor runs those of {name} too."
                yield _check("allowed.third-party", "info", message, WHERE)


def _claude_files(machine: Machine, project: Path) -> Iterator[tuple[Path, bytes]]:
    for path in dict.fromkeys(paths.claude_files(machine, project)):
        try:
            yield path, path.read_bytes()
        except OSError:
            continue


def _runs(machine: Machine, files: tuple[HooksFile, ...], project: Path) -> Iterator[Check]:
    """How often one call runs the guard, without and with the hooks of Claude Code's files."""
    native = [hook for one in files for hook in one.hooks]
    foreign = [
        hook
        for _, data in _claude_files(machine, project)
        for hook in third_party.taken(data).hooks
    ]
    off, on = (
        sum(_is_ours(hook) for hook in hooks)
        for hooks in (native, third_party.without_doubles(native, foreign))
    )
    yield from _counted(off, on)


def _is_ours(hook: Hook) -> bool:
    every = hook.matcher in hook_file.EVERY_TOOL
    return hook.event == "preToolUse" and every and launch_command.parse(hook.command) is not None


def _counted(off: int, on: int) -> Iterator[Check]:
    if off == on == 1:
        message = "Cursor runs the guard once per call, with third-party hooks on or off."
        yield _check("allowed.once", "ok", message)
    elif off == 0 and on:
        message = "Cursor runs the guard only while third-party hooks are on."
        yield _check("allowed.once", "warning", message, f"{RERUN} {WHERE}")
    elif on:
        message = (
            f"Cursor runs the guard {_times(off)} per call, and {_times(on)} while third-party "
            "hooks are on: each call is counted once, but each run takes its time."
        )
        fix = "Keep the entry in one of the files; `runaway setup` writes all alike."
        yield _check("allowed.once", "warning", message, fix)


def _times(count: int) -> str:
    return ("never", "once", "twice")[count] if count < 3 else f"{count} times"


def _trust(machine: Machine, own: tuple[HooksFile, ...], project: Path) -> Iterator[Check]:
    if not any(one.scope == "project" and any(_entries(one)) for one in own):
        message = "Hooks in the home directory need no consent."
        yield _check("trusted.workspace", "ok", message)
    elif paths.trust_marker(machine, project).exists():
        message = f"cursor-agent was told to trust {machine.tilde(project)}."
        yield _check("trusted.workspace", "ok", message)
    else:
        message = f"Cursor runs the hooks of {machine.tilde(project)} only once you trust it there."
        fix = "Open the project in Cursor or start `cursor-agent` in it, and say that you trust it."
        yield _check("trusted.workspace", "info", message, fix)
