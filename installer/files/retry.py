"""Brings a target to what a transform wants, however often others write it meanwhile.

No client honours anybody's lock, so nothing is assumed: a step that finds the target changed does
nothing, and the edit is planned again from what lies there now.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal
from .replacing import Replacement, replace_file
from .snapshot import Snapshot, busy, read_stable

Transform = Callable[[bytes | None], bytes | None]
"""Present bytes to wanted bytes, None for "no file". Called again when the file has changed, so it
must be pure, and must leave its own result alone."""

Folders = tuple[Path, ...]

ROUNDS = 50
PATIENT_ROUNDS = 10
_HALF_WRITTEN = ("json-", "toml-")  # refusals that a file caught in the middle of a write may cause


class Outcome(NamedTuple):
    before: bytes | None
    after: bytes | None
    backup: str | None


class Edit(NamedTuple):
    """What is asked and told on the way: each of these may refuse.

    `check` gives the folders that are missing for a version to be replaced, `save` keeps that version
    as a backup and gives its id, `announce` tells what is about to happen before anything does, and
    `make` makes the folders.
    """

    target: Path
    transform: Transform
    check: Callable[[Snapshot], Folders]
    save: Callable[[Snapshot], str | None]
    announce: Callable[[Outcome, Folders], None]
    make: Callable[[Folders], None]
    state: Path


def apply_with_retry(change: Edit, seen: Snapshot) -> Outcome:
    """Raises OSError or Refusal, with the target as others left it; `busy` after ROUNDS."""
    outcome = Outcome(seen.data, seen.data, None)
    for attempt in range(ROUNDS):
        seen, wanted = plan(change.transform, change.target, seen)
        if wanted == seen:
            return outcome
        missing = change.check(seen)
        save = partial(change.save, seen)
        if attempt == 0:  # later versions are saved once displaced: it takes longer than a pause
            change.announce(Outcome(seen.data, wanted.data, save()), missing)
        change.make(missing)
        hurried = attempt >= PATIENT_ROUNDS
        done = replace_file(Replacement(change.target, seen, wanted, change.state, save, hurried))
        if done:
            outcome = Outcome(seen.data, wanted.data, save())
        seen = read_stable(change.target, seen.mode)
        if done and seen == wanted:
            return outcome
    raise busy(change.target)


def plan(transform: Transform, path: Path, seen: Snapshot) -> tuple[Snapshot, Snapshot]:
    """What was planned from and what is wanted; a file that may be half-written is read again."""
    for _ in range(3):
        try:
            return seen, replace(seen, data=transform(seen.data))
        except Refusal as refusal:
            if not refusal.code.startswith(_HALF_WRITTEN) or not _is_fresh(seen):
                raise
        time.sleep(0.05)
        seen = read_stable(path, seen.mode)
    return seen, replace(seen, data=transform(seen.data))


def _is_fresh(seen: Snapshot) -> bool:
    return seen.status is not None and abs(time.time() - seen.status.st_mtime) < 2
