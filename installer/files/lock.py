"""One run at a time. The lock lies in our own state folder and binds nobody but us.

The system releases it when its holder ends, however that happens, so there is no stale lock.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import Refusal
from .faults import os_errors_as_refusals
from .private import state_folder
from .temporary import is_still

PATIENCE = 10.0  # seconds


@contextmanager
def locked(state: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Raises Refusal `locked` when another run has not finished within `patience` seconds."""
    file = _acquired(state, time.monotonic() + patience)
    try:
        with suppress(OSError):  # who holds it is only a courtesy to whoever waits
            os.ftruncate(file, 0)
            os.pwrite(file, b"%d\n" % os.getpid(), 0)
        yield
    finally:
        os.close(file)


def _acquired(state: Path, deadline: float) -> int:
    """Uninstall removes the lock it holds, with its folder: whoever waited for it starts anew."""
    while True:
        path = state_folder(state) / "lock"
        with os_errors_as_refusals(path):
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            _wait(file, path, deadline)
            if is_still(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _wait(file: int, path: Path, deadline: float) -> None:
    while not _try(file):
        if time.monotonic() > deadline:
            raise _taken(file, path)
        time.sleep(0.02)


def _try(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _taken(file: int, path: Path) -> Refusal:
    holder = os.pread(file, 20, 0).strip().decode("ascii", "replace")
    return Refusal(
        f"Another run (process {holder or 'unknown'}) is changing files; {path} is locked.",
        code="locked",
        fix="Wait until it has finished or end that process, then run the command again.",
        path=path,
    )
