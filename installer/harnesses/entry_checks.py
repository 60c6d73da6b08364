"""The doctor on files with hooks: is the guard in them, as setup writes it, for every event, and once?

One set of checks for every harness; what differs between them is a value, `Expected`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .. import launch_command, managed_scope
from ..documents.values import name_of
from ..machine import Machine
from . import hook_file
from .base import Check, Level
from .load import Settings

Handler = dict[str, Any]

TWICE: dict[Level, str] = {  # where a call is known by its id, and where it is not
    "warning": "more than once for one event",
    "error": "more than once for one event: calls count twice",
}
OLDER = "The entry in {} has an older form: it works, but less surely than today's."


class Expected(NamedTuple):
    """What the files of a harness should hold: our entry under each of `events`.

    The first event is the one that decides: without it the guard denies nothing. `later` are events
    that older releases do not know, `once` those under which an entry may stand besides. In the field
    `free` a person may have put something else without harm. `twice`: how bad a second entry is.
    """

    harness: str
    place: str  # where the guard should be, for the sentence that it is not there
    word: str  # that ends our command
    handler: Callable[[str], Handler]
    events: tuple[str, ...]
    later: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    free: str = ""
    twice: Level = "warning"
    older: tuple[Level, str] = ("warning", OLDER)

    def check(self, name: str, level: Level, message: str, scope: str = "") -> Check:
        """One line; whoever owns the file is told how to write it again."""
        own = f"Run `runaway setup --harness {self.harness}`."
        fix = "" if level == "ok" else managed_scope.RERUN if scope == "managed" else own
        return Check(self.harness, f"installed.{name}", level, message, fix)


class Placed(NamedTuple):
    """A file, and our entries in it under the events that setup binds."""

    settings: Settings
    entries: tuple[hook_file.Entry, ...]

    @property
    def bound(self) -> frozenset[str]:
        """The events; of a file that the harness drops none is bound."""
        ignored = bool(self.settings.problem)
        return frozenset() if ignored else frozenset(entry.event for entry in self.entries)


def placed(files: Iterable[Settings], expected: Expected) -> tuple[Placed, ...]:
    """The files that hold an entry of ours."""
    found = (Placed(one, tuple(entries(one, expected))) for one in files)
    return tuple(one for one in found if one.entries)


def entries(one: Settings, expected: Expected) -> Iterator[hook_file.Entry]:
    """Ours; none of a file that is not there."""
    known = (*expected.events, *expected.later, *expected.once)
    found = hook_file.entries(one.document, expected.word) if one.document else ()
    return (entry for entry in found if entry.event in known)


def checks(machine: Machine, settings: Iterable[Settings], expected: Expected) -> Iterator[Check]:
    """`installed.*`. Hooks of all files are run: what one binds for everybody is bound in all others."""
    files = tuple(settings)
    every = placed(files, expected)
    found = _chosen(machine, every, foreign=False)
    yield from _changed(machine, files, expected)
    yield from _of_other_homes(machine, _chosen(machine, every, foreign=True), expected)
    if not found and not any(one.problem and may_hold_ours(one) for one in files):
        decisive = f"The guard is not in {expected.place}."
        yield expected.check("entry", "error", decisive)
    for one in found:
        others = (it for it in found if it is not one and it.settings.scope in ("user", "managed"))
        elsewhere = frozenset[str]().union(*(it.bound for it in others))
        yield from _forms(machine, one, expected)
        yield from _events(machine, one, expected, elsewhere)


def may_hold_ours(one: Settings) -> bool:
    """A file that does not even parse may hold the guard all the same."""
    try:
        return one.path.is_file() and launch_command.may_name(one.path.read_bytes())
    except OSError:
        return False


def _chosen(machine: Machine, found: Iterable[Placed], *, foreign: bool) -> tuple[Placed, ...]:
    """Without the entries of other homes that share the file, or nothing but those."""

    def fits(entry: hook_file.Entry) -> bool:
        return launch_command.of_another_home(machine, entry.registered.launcher) is foreign

    kept = (one._replace(entries=tuple(filter(fits, one.entries))) for one in found)
    return tuple(one for one in kept if one.entries)


def _of_other_homes(
    machine: Machine, found: tuple[Placed, ...], expected: Expected
) -> Iterator[Check]:
    for one in found:
        homes = dict.fromkeys(str(entry.registered.launcher) for entry in one.entries)
        name = machine.tilde(one.settings.path)
        text = f"{name} also holds another home's entry, which is left alone: {', '.join(homes)}."
        yield expected.check("other-home", "info", text)._replace(fix="")


def _changed(machine: Machine, files: tuple[Settings, ...], expected: Expected) -> Iterator[Check]:
    """Entries that somebody has wrapped or mangled: whether they guard is anybody's guess."""
    for one in files:
        for event, path, command in hook_file.changed(one.document) if one.document else ():
            if event in (*expected.events, *expected.later, *expected.once):
                where = f"{machine.tilde(one.path)} ({name_of(path)})"
                text = f"{where} starts the guard in a form that setup does not write: `{command}`."
                fix = f"Take that entry out, then run `runaway setup --harness {expected.harness}`."
                yield expected.check("changed", "warning", text)._replace(fix=fix)


def _forms(machine: Machine, one: Placed, expected: Expected) -> Iterator[Check]:
    """Is each entry the one that setup writes?"""
    wanted = _wanted(machine, one.settings, expected)
    name, scope = machine.tilde(one.settings.path), one.settings.scope
    same = [entry for entry in one.entries if _is_same(machine, entry, wanted)]
    stale = [entry for entry in one.entries if entry.handler not in wanted and entry not in same]
    for entry in stale:
        where = f"{name} ({name_of(entry.path)})"
        if is_older(entry, wanted):
            level, text = expected.older
            yield expected.check("entry", level, text.format(where), scope)
            continue
        message = f"The entry in {where} is not the one that setup writes today."
        harmless = _differs_only_in(expected.free, entry.handler, wanted)
        yield expected.check("entry", "warning" if harmless else "error", message, scope)
    if not stale:
        yield expected.check("entry", "ok", f"The guard is registered in {name}.")


def _events(
    machine: Machine, one: Placed, expected: Expected, elsewhere: frozenset[str]
) -> Iterator[Check]:
    """Each event once in a file, and all of them."""
    name, scope = machine.tilde(one.settings.path), one.settings.scope
    bound = [entry.event for entry in one.entries]
    if len(bound) > len(set(bound)):
        message = f"{name} holds the guard {TWICE[expected.twice]}."
        yield expected.check("once", expected.twice, message, scope)
    for level, events in _missing(expected, elsewhere.union(bound)):
        message = f"{name} does not bind the guard to {', '.join(events)}."
        yield expected.check("events", level, message, scope)


def _missing(expected: Expected, bound: frozenset[str]) -> Iterator[tuple[Level, list[str]]]:
    """How bad, and which: without the event that decides nothing is ever denied."""
    missing = [event for event in expected.events if event not in bound]
    if missing:
        yield "error" if expected.events[0] in missing else "warning", missing
    if later := [event for event in expected.later if event not in bound]:
        yield "info", later


def _wanted(machine: Machine, one: Settings, expected: Expected) -> list[Handler]:
    launchers = managed_scope.launchers(machine, one.scope)
    return [expected.handler(launch_command.command_for(it, expected.word)) for it in launchers]


def _is_same(machine: Machine, entry: hook_file.Entry, wanted: list[Handler]) -> bool:
    """Today's entry, with the launcher's place written by `$HOME`."""
    command = entry.handler.get("command")
    by_home = launch_command.same_place(command, machine)
    return by_home and any({**entry.handler, "command": one["command"]} == one for one in wanted)


def is_managed(machine: Machine, files: Iterable[Settings], expected: Expected) -> bool:
    """Does an organisation's file bind the event that decides? No switch of a person's reaches that."""
    return any(
        entry.event == expected.events[0] and (entry.handler in wanted or is_older(entry, wanted))
        for one in placed(files, expected)
        if one.settings.scope == "managed" and not one.settings.problem
        for wanted in [_wanted(machine, one.settings, expected)]
        for entry in one.entries
    )


def is_older(entry: hook_file.Entry, handlers: Iterable[Handler]) -> bool:
    """Does it differ from one of these by nothing but an earlier spelling of the same command?"""
    return any(
        {**entry.handler, "command": handler["command"]} == handler != entry.handler
        and entry.registered == launch_command.parse(handler["command"])
        for handler in handlers
    )


def _differs_only_in(field: str, ours: Handler, handlers: Iterable[Handler]) -> bool:
    return any(field in one and {**ours, field: one[field]} == one for one in handlers)
