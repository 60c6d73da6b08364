"""Proof without a drill: does the guard know the newest session that a harness has logged?

A session that made calls since setup and of which the guard knows nothing ran past it, whatever the
settings say: a mod, another home, an old program, a session that began before setup.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ..guard.session import file_name
from .files import receipts
from .harnesses.base import Check, Harness
from .machine import Machine
from .replay import readers
from .replay.events import CallMade, Session
from .replay.folders import log_folders

RECENT = 86400.0  # seconds: what is older tells nothing of today's settings
MIN_CALLS = 3  # fewer may be under way just now
MAX_LOG_BYTES = 1 << 24  # bytes of a log that is looked through
NEWEST = 6  # entries of each folder that are looked at
DEPTH = 5  # folders, one in another
SUFFIXES = (".jsonl", ".json")


def checks(machine: Machine, harness: Harness, now: float) -> Iterator[Check]:
    """At most one error, about the newest log of this harness."""
    since = max(now - RECENT, _set_up(machine, harness.NAME, now))
    log = _newest(log_folders(machine).get(harness.NAME, ()), since)
    if log is None or log.stat().st_size > MAX_LOG_BYTES:
        return
    with suppress(OSError, ValueError, sqlite3.DatabaseError):
        for session in readers.sessions(log):
            calls = 0 if _is_known(machine, session) else _calls(session, since)
            if calls >= MIN_CALLS:
                yield _unseen(machine, harness, session, calls, log)
            return


def _unseen(machine: Machine, harness: Harness, session: Session, calls: int, log: Path) -> Check:
    text = (
        f"{harness.DISPLAY}'s session {session.id[:8]} made {calls} calls since setup, and the guard "
        f"saw none of them ({machine.tilde(log)})."
    )
    fix = "Start it anew; if that does not help: "
    return Check(harness.NAME, "fires.unseen", "error", text, f"{fix}`runaway doctor --drill`.")


def _set_up(machine: Machine, harness: str, now: float) -> float:
    """When the guard's entry was last written, Unix time; `now` where no receipt tells."""
    own = [one for one in receipts.all_receipts(machine.state).receipts if one.harness == harness]
    times = []
    for one in own:
        with suppress(ValueError):
            times.append(datetime.fromisoformat(one.time).timestamp())
    return max(times, default=now)


def _is_known(machine: Machine, session: Session) -> bool:
    return (machine.state / "sessions" / file_name(session.harness, session.id)).exists()


def _calls(session: Session, since: float) -> int:
    return sum(isinstance(one, CallMade) and one.time > since for one in session.events)


def _newest(folders: Iterable[Path], since: float) -> Path | None:
    """The log that was written last, if it was since then."""
    logs = (log for folder in folders for log in _logs(folder, DEPTH))
    found = max(logs, default=(0.0, ""))
    return Path(found[1]) if found[0] > since else None


def _logs(folder: Path | str, depth: int) -> Iterator[tuple[float, str]]:
    """(time of the last change, path) of the newest entries of each folder."""
    try:
        with os.scandir(folder) as entries:
            about = [(one.stat().st_mtime, one.path, one.is_dir()) for one in entries]
    except OSError:
        return
    folders = sorted((one for one in about if one[2]), reverse=True)[:NEWEST]
    yield from (one[:2] for one in about if not one[2] and one[1].endswith(SUFFIXES))
    for _, path, _ in folders if depth else ():
        yield from _logs(path, depth - 1)
