"""One consistent look at a file: its bytes and mode at a moment when nobody was writing it.

Some clients truncate a file and then write it (anthropics/claude-code#91520). On Linux a read lease
is granted only while no process has the file open for writing, so holding one while reading shows
that the bytes are whole. Where there are no leases the bytes are taken as they are.
"""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Refusal
from .faults import os_errors_as_refusals

MAX_FILE_BYTES = 16 * 1024 * 1024  # bytes; no settings file comes near it
PATIENCE = 2.0  # seconds to wait for another program that is writing
READ_FLAGS = (
    os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
)  # a FIFO put there meanwhile must not block


@dataclass(frozen=True)
class Snapshot:
    """`data` None means no file; `mode` is then the one a new file gets. Equal: bytes and mode."""

    data: bytes | None
    mode: int
    status: os.stat_result | None = field(default=None, compare=False)


def read_stable(path: Path, default_mode: int = 0o600) -> Snapshot:
    """Raises Refusal `not-a-file`, `too-large`, `busy` or `unreadable`."""
    with os_errors_as_refusals(path, "read"):
        for pause in backoff(PATIENCE):
            try:
                check_kind(path, os.lstat(path))
                seen = try_read(path)
            except FileNotFoundError:
                return Snapshot(None, default_mode)
            if seen is not None:
                return seen
            time.sleep(pause)
    raise busy(path)


def backoff(seconds: float) -> Iterator[float]:
    """Ever longer waits, 1 to 50 ms, that add up to about `seconds`."""
    pause, total = 0.001, 0.0
    while total < seconds:
        yield pause
        total += pause
        pause = min(pause * 2, 0.05)


def try_read(path: Path) -> Snapshot | None:
    """Without waiting: None when somebody is writing the file at this moment."""
    try:
        file = os.open(path, os.O_RDONLY | READ_FLAGS)
    except BlockingIOError:
        return None
    try:
        with lease(file, "F_RDLCK") as quiet:
            status = os.fstat(file)
            check_kind(path, status)
            if not quiet:
                return None
            return Snapshot(read_all(file), stat.S_IMODE(status.st_mode), status)
    finally:
        os.close(file)


def read_all(file: int) -> bytes:
    chunks = []
    while chunk := os.read(file, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


@contextmanager
def lease(file: int, kind: str) -> Iterator[bool]:
    """Keeps writers (`F_RDLCK`) or everybody (`F_WRLCK`) waiting; False if one is there already.

    True without a lease where the system or the file system has none. fcntl(2), "Leases".
    """
    granted = _set_lease(file, kind)
    try:
        yield granted is not False
    finally:
        if granted:
            _set_lease(file, "F_UNLCK")


def _set_lease(file: int, kind: str) -> bool | None:
    if sys.platform != "linux":
        return None
    try:
        # Somebody else's open() signals the holder; the default signal would end this process.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, getattr(fcntl, kind))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def check_kind(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise Refusal(
            f"{path} is {kind}.",
            code="not-a-file",
            fix="Move it out of the way, then run the command again.",
            path=path,
        )
    if status.st_size > MAX_FILE_BYTES:
        raise Refusal(
            f"{path} has {status.st_size:,} bytes; files over {MAX_FILE_BYTES:,} are not edited.",
            code="too-large",
            fix="Look at what made it that large; a settings file is a few kilobytes.",
            path=path,
        )


def busy(path: Path) -> Refusal:
    return Refusal(
        f"{path} is being written by another program all the time.",
        code="busy",
        fix="Close that program, then run the command again.",
        path=path,
    )
