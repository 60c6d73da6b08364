"""What Cursor makes of its files and of Claude Code's: installed, allowed and trusted, for the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ... import launch_command
from ...machine import Machine
from .. import entry_checks, file_checks, hook_file, load
from ..base import Check, Level
from ..entry_checks import Expected
from ..load import Settings
from . import hook_log, paths, third_party
from .third_party import Hook
from .validation import RULES, problems

RERUN = "Run `runaway setup --harness cursor`."
SETTING = "Include third-party Plugins, Skills, and other configs"
WHERE = f'Cursor Settings > Rules, Skills, Subagents > "{SETTING}" tells; no file does.'


EXPECTED = Expected(
    paths.NAME,
    "any hooks.json that Cursor reads",
    paths.LAUNCHER_ARGUMENT,
    paths.handler,
    paths.EVENTS,
    free="timeout",
)


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one."""
    return load.read_json(machine, scope, path, RULES, problems)


def hooks_of(one: Settings) -> Iterator[Hook]:
    """The commands that Cursor runs of a hooks.json."""
    for event, entries in one.values.get("hooks", {}).items():
        for entry in entries:
            if "command" in entry:
                yield Hook(event, entry.get("matcher", ""), entry["command"])


def own_files(machine: Machine, project: Path) -> tuple[Settings, ...]:
    """The user's and the project's; home may be the project."""
    by_file = {paths.hooks_file(machine, scope, project): scope for scope in paths.SCOPES[::-1]}
    return tuple(read(machine, scope, path) for path, scope in reversed(by_file.items()))


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    own = own_files(machine, project)
    files = (*own, read(machine, "managed", paths.enterprise_file(machine)))
    yield from entry_checks.checks(machine, files, EXPECTED)
    effect = "Cursor ignores the whole file"
    yield from file_checks.dropped(machine, paths.NAME, files, effect, _is_users)
    yield from _link(machine, own, project)
    yield from _foreign(machine, project)
    yield from _runs(machine, files, project)
    yield from _trust(machine, own, project)
    yield from hook_log.checks(machine)


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _is_users(one: Settings) -> bool:
    """That an organisation's file is ignored harms nobody's guard."""
    return one.scope == "user"


def _holds_entry(one: Settings) -> bool:
    return any(entry_checks.entries(one, EXPECTED))


def _link(machine: Machine, own: tuple[Settings, ...], project: Path) -> Iterator[Check]:
    link = paths.linked(project)
    if link and any(one.scope == "project" and _holds_entry(one) for one in own):
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


def _runs(machine: Machine, files: tuple[Settings, ...], project: Path) -> Iterator[Check]:
    """How often one call runs the guard, without and with the hooks of Claude Code's files."""
    native = [hook for one in files for hook in hooks_of(one)]
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


def _trust(machine: Machine, own: tuple[Settings, ...], project: Path) -> Iterator[Check]:
    if not any(one.scope == "project" and _holds_entry(one) for one in own):
        message = "Hooks in the home directory need no consent."
        yield _check("trusted.workspace", "ok", message)
    elif paths.trust_marker(machine, project).exists():
        message = f"cursor-agent was told to trust {machine.tilde(project)}."
        yield _check("trusted.workspace", "ok", message)
    else:
        message = f"Cursor runs the hooks of {machine.tilde(project)} only once you trust it there."
        fix = "Open the project in Cursor or start `cursor-agent` in it, and say that you trust it."
        yield _check("trusted.workspace", "info", message, fix)
