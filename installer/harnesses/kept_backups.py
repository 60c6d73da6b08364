"""Which backups an uninstall must not delete: those of files that did not get their own bytes back.

Asked of the files on the disk, not of what this run did: an earlier run may have been killed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..errors import Refusal
from ..files import backups
from ..files.backups import Backup
from ..machine import Machine
from ..plan import Target, holds_entry
from .known_files import targets_at


def needed(machine: Machine) -> frozenset[str]:
    """The ids of the backups to keep."""
    of_file: defaultdict[Path | None, list[Backup]] = defaultdict(list)
    for one in backups.list_backups(machine.state):
        of_file[one.path].append(one)
    own = machine.config_file  # goes with the guard
    return frozenset(
        one.id
        for path, found in of_file.items()
        if path != own
        for one in _needed(machine, path, found)
    )


def _needed(machine: Machine, path: Path | None, found: list[Backup]) -> Iterator[Backup]:
    """All, unless the file is what it was before setup; then only other versions without our entry."""
    targets = tuple(targets_at(machine, path)) if path else ()
    present = _present(path)
    theirs, spare = {}, set()
    for one in found:
        try:
            data = backups.load(machine.state, one.id)
        except Refusal:  # damaged: for a person to look at
            yield one
            continue
        if not _holds_entry(targets, data):
            theirs[one] = data
        elif any(_makes(target, present, data) for target in targets):
            spare.add(one)
    restored = present in theirs.values() if theirs else present is None
    for one in found:
        if one not in spare and (not restored or theirs.get(one, present) != present):
            yield one


def _makes(target: Target, present: bytes | None, data: bytes) -> bool:
    """Is the backup nothing but what is there now, with our entry?"""
    try:
        return target.install_entry(present).data == data
    except Refusal:
        return False


def _holds_entry(targets: tuple[Target, ...], data: bytes) -> bool:
    for target in targets:
        try:
            if holds_entry(target, data):
                return True
        except Refusal:
            continue
    return False


def _present(path: Path | None) -> bytes | None:
    try:
        return path.read_bytes() if path and path.is_file() else None
    except OSError:
        return None
