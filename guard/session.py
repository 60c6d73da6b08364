"""The state of one session: a small file, locked while a call is judged, never torn.

The file holds two slots of equal size. A write goes to the older slot, so a process that is killed in
the middle of it loses that one update and nothing else. `flock` is what makes hooks of parallel calls
count right: an unlocked atomic rename lost 78 % of the updates of eight writers.
"""

from __future__ import annotations

import time

from .call import digest
from .fastjson import dumps, loads
from .system import (
    O_CLOEXEC,
    O_NOFOLLOW,
    O_RDONLY,
    UPDATE,
    close,
    open,
    open_private,
    pread,
    pwrite,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SLOT = 1 << 17  # bytes; a usual state takes 2 to 20 kB, the rest of the file is a hole
HEADER = 40  # bytes: sequence number, length and mark of the JSON text that follows
LOCK_WAIT = 0.2  # seconds


def file_name(harness: str, session: str) -> str:
    """The name of a session's file below `<state>/sessions`: nothing in it comes from outside."""
    return harness + "-" + digest(session) + ".json"


def peek(path: str) -> dict[str, Any]:
    """The state in a session file, for whoever only looks; {} when it holds none."""
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    try:
        return _newest(descriptor)[1]
    finally:
        close(descriptor)


def _newest(descriptor: int) -> tuple[int, dict[str, Any]]:
    """(sequence number, state) of the newest whole slot; (0, {}) when there is none."""
    headers = [_header(pread(descriptor, HEADER, start)) for start in (0, SLOT)]
    for sequence, length, mark in sorted(headers, reverse=True):
        raw = pread(descriptor, length, sequence % 2 * SLOT + HEADER)
        text = raw.decode("ascii", "replace")
        if sequence and _mark(sequence, text) == mark:
            return sequence, loads(text)
    return 0, {}


def _mark(sequence: int, text: str) -> str:
    """With the sequence number, lest half of a new header makes the text before it the newest."""
    return digest(f"{sequence} {text}")


def _header(raw: bytes) -> tuple[int, int, str]:
    try:
        sequence, length, mark = raw.decode("ascii").split()
        return int(sequence), min(int(length), SLOT) if length.isdigit() else 0, mark
    except ValueError:
        return 0, 0, ""


class Session:
    """Opened and locked on construction; `save` writes, `close` (or process exit) unlocks.

    `locked` is False when another process held the lock for longer than `LOCK_WAIT`: the state can
    be read and judged, but not saved.
    """

    __slots__ = ("_descriptor", "_sequence", "locked", "state")

    def __init__(self, folder: str, harness: str, session: str) -> None:
        path = folder + "/sessions/" + file_name(harness, session)
        self._descriptor = open_private(path, UPDATE)
        self.locked = _lock(self._descriptor)
        self._sequence, self.state = _newest(self._descriptor)

    def save(self) -> None:
        if not self.locked:
            raise TimeoutError("the state of a session was locked for too long to be saved")
        self._sequence += 1
        text = dumps(self.state)
        mark = _mark(self._sequence, text)
        header = f"{self._sequence:015d} {len(text):09d} {mark}".ljust(HEADER)
        if len(text) > SLOT - HEADER:
            raise ValueError(f"the state of a session grew to {len(text)} bytes")
        pwrite(self._descriptor, (header + text).encode("ascii"), self._sequence % 2 * SLOT)

    def close(self) -> None:
        close(self._descriptor)


def _lock(descriptor: int) -> bool:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        return _lock_windows(descriptor)
    deadline = time.monotonic() + LOCK_WAIT
    while True:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)


def _lock_windows(descriptor: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
