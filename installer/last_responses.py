"""Book the last responses of all sessions before a command shows their money."""

from __future__ import annotations

import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..guard import last_response
from ..guard.session import peek
from . import managed_scope
from .errors import Refusal
from .files.ownership import is_foreign

if TYPE_CHECKING:
    from ..guard.state import SessionState
    from .machine import Machine

LONGEST = 2.0  # seconds for all sessions together; the rest comes with the next look
RECENT = 7 * 86400.0  # seconds: an older session has ended, and been booked
FAULTS = (
    OSError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
)


def book(machine: Machine, now: float) -> None:
    """Read on in the logs that have grown since the guard's last look; what cannot be read waits."""
    try:
        policy = managed_scope.policy(machine)
    except Refusal:
        return
    if is_foreign(machine.state):
        return
    end = time.monotonic() + LONGEST
    for path in _recent(machine.state / "sessions", now):
        if time.monotonic() > end:
            return
        try:
            state = cast("SessionState", peek(str(path)))
            if last_response.has_grown(state):
                last_response.book(str(machine.state), policy, state, now)
        except FAULTS:
            continue


def _recent(folder: Path, now: float) -> list[Path]:
    """The files of sessions that the guard wrote lately, the newest first; a pipe would make us wait."""
    found = []
    for path in folder.glob("*.json"):
        try:
            about = path.lstat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode) and now - about.st_mtime < RECENT:
            found.append((about.st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]
