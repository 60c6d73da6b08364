"""The doctor on a file with hooks: is the guard in it, as setup writes it, for every event, and once?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .. import launch_command
from ..documents.values import name_of
from ..machine import Machine
from . import hook_file
from .base import Check, Level

TWICE: dict[Level, str] = {  # where a call is known by its id, and where it is not
    "warning": "more than once for one event",
    "error": "more than once for one event: calls count twice",
}


OLDER = "The entry in {} has an older form: it works, but less surely than today's."


class Wanted(NamedTuple):
    """What a file should hold: one of `handlers` for each of `events`, the first of which denies.

    In `free` a person may have put something else without harm. `twice`: how bad a second entry is.
    """

    harness: str
    handlers: tuple[dict[str, Any], ...]
    events: tuple[str, ...]
    free: str
    rerun: str
    twice: Level = "warning"


def entries(document: Any, word: str, events: tuple[str, ...]) -> list[hook_file.Entry]:
    """Ours, under the events that setup binds; none of a file that is not there."""
    found = hook_file.entries(document, word) if document else ()
    return [entry for entry in found if entry.event in events]


def checks(
    machine: Machine,
    path: Path,
    found: list[hook_file.Entry],
    wanted: Wanted,
    elsewhere: frozenset[str] = frozenset(),
) -> Iterator[Check]:
    """Of a file that holds at least one entry; `elsewhere`: events that another file binds for it."""

    def check(name: str, level: Level, message: str) -> Check:
        fix = "" if level == "ok" else wanted.rerun
        return Check(wanted.harness, f"installed.{name}", level, message, fix)

    name, bound = machine.tilde(path), [entry.event for entry in found]
    stale = [entry for entry in found if entry.handler not in wanted.handlers]
    for entry in stale:
        where = f"{name} ({name_of(entry.path)})"
        if is_older(entry, wanted.handlers):
            yield check("entry", "warning", OLDER.format(where))
            continue
        message = f"The entry in {where} is not the one that setup writes today."
        yield check("entry", "warning" if _is_free(entry, wanted) else "error", message)
    if not stale:
        yield check("entry", "ok", f"The guard is registered in {name}.")
    if len(bound) > len(set(bound)):
        yield check("once", wanted.twice, f"{name} holds the guard {TWICE[wanted.twice]}.")
    if missing := [one for one in wanted.events if one not in {*bound, *elsewhere}]:
        level: Level = "error" if wanted.events[0] in missing else "warning"
        yield check("events", level, f"{name} does not bind the guard to {', '.join(missing)}.")


def is_older(entry: hook_file.Entry, handlers: Iterable[dict[str, Any]]) -> bool:
    """Does it differ from one of these by nothing but an earlier spelling of the same command?"""
    return any(
        {**entry.handler, "command": handler["command"]} == handler != entry.handler
        and entry.registered == launch_command.parse(handler["command"])
        for handler in handlers
    )


def _is_free(entry: hook_file.Entry, wanted: Wanted) -> bool:
    """It differs in nothing else."""
    return any(
        {**entry.handler, wanted.free: handler[wanted.free]} == handler
        for handler in wanted.handlers
    )
