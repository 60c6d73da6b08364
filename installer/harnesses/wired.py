"""All files that may hold an entry of ours, and what setup was asked to guard before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..files import receipts
from ..files.receipts import Receipt
from ..machine import Machine
from ..plan import Target, is_installed
from . import known_files
from .base import Harness


def places(machine: Machine, harnesses: Iterable[Harness], project: Path) -> Iterator[Target]:
    """More files than setup writes today: all scopes, earlier places, and those of receipts."""
    known = receipts.all_receipts(machine.state).receipts
    for harness in harnesses:
        own = [one for one in known if one.harness == harness.NAME]
        found = dict.fromkeys((*_today(machine, harness, project), *_told(machine, harness, own)))
        seen: set[Path] = set()
        for scope, path in found:
            if path not in seen:
                seen.add(path)
                yield harness.edit_target(machine, scope, path)


def _today(machine: Machine, harness: Harness, project: Path) -> Iterator[tuple[str, Path]]:
    for scope in harness.SCOPES:
        if (scope == "managed") is machine.shared:
            yield scope, harness.path(machine, scope, project)
    first = "managed" if machine.shared else "user"
    yield from ((first, path) for path in harness.legacy_paths(machine))


def _told(
    machine: Machine, harness: Harness, known: Iterable[Receipt]
) -> Iterator[tuple[str, Path]]:
    for one in known:
        scope = scope_of(machine, harness, one)
        if scope:
            yield scope, one.path


def scope_of(machine: Machine, harness: Harness, receipt: Receipt) -> str | None:
    """None for a file that is none of the harness's, or of another home, whatever the receipt says."""
    scope = known_files.scope_of(harness, machine, receipt.path, receipt.scope)
    return scope if scope and not known_files.is_of_another_home(machine, receipt.path) else None


def entries(machine: Machine, harnesses: Iterable[Harness], project: Path) -> Iterator[Target]:
    """Those that hold an entry, each with the record of consent that goes with it."""
    for harness in harnesses:
        records: set[Path] = set()
        for target in places(machine, (harness,), project):
            if target.path in records or not is_installed(target):
                continue
            if is_anothers(machine, target):
                continue
            consented = [
                one for one in harness.consent_targets(machine, target)[1:] if is_installed(one)
            ]
            records.update(one.path for one in consented)
            yield from (target, *consented)


def moved(machine: Machine) -> tuple[Receipt, ...]:
    """Those of projects whose file is not where setup has left it."""
    known = receipts.all_receipts(machine.state).receipts
    own = [one for one in known if one.scope in ("project", "local")]
    return tuple(one for one in own if one.after and not os.path.lexists(one.path))


def is_anothers(machine: Machine, target: Target) -> bool:
    """Was this entry put in for another harness that shares the file, and not for this one?"""
    own = receipts.find(machine.state, target.path, target.harness)
    return own is None and bool(receipts.others(machine.state, target.path, target.harness))


def chosen_before(machine: Machine, scope: str) -> frozenset[str]:
    """The harnesses that an earlier setup has put the guard into in this scope."""
    return frozenset(
        one.harness for one in receipts.all_receipts(machine.state).receipts if one.scope == scope
    )
