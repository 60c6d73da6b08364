"""Book what sessions have spent since their last tool call: no hook is run after a last response.

The guard reads a session's log at each of its calls, so the answer that ends a turn is read by whatever
comes next: the session's next call, or the command that wants to show its money.
"""

from __future__ import annotations

import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..guard.call import Call
from ..guard.dialects import dialect_of
from ..guard.policy import Policy
from ..guard.session import Session, peek
from ..guard.spending import catch_up
from ..guard.transcripts import READERS
from . import managed_scope
from .errors import Refusal
from .files.ownership import is_foreign

if TYPE_CHECKING:
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
            state = peek(str(path))
            if _has_grown(state):
                _read_on(machine, policy, state, now)
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


def _has_grown(state: dict[str, Any]) -> bool:
    if state["harness"] not in READERS:
        return False
    offset, inode, *_ = state["logs"]["files"][""]
    about = Path(state["transcript"]).stat()  # the guard opens no pipe
    return (about.st_size, about.st_ino) != (offset, inode)


def _read_on(machine: Machine, policy: Policy, state: dict[str, Any], now: float) -> None:
    session = Session(str(machine.state), state["harness"], state["session"])
    try:
        if session.fault or session.state.get("session") != state["session"]:
            return
        call = Call(
            state["harness"], state["session"], cwd=state["cwd"], transcript=state["transcript"]
        )
        catch_up(call, session.state, policy, dialect_of(state["harness"]), now)
        session.save()
    finally:
        session.close()
