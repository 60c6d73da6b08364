"""Store the state of one session: in a small file, locked while a call is judged, never torn.

The file holds two slots of equal size. A write goes to the older slot, so a process that is killed in
the middle of it loses that one update and nothing else. `flock` is what makes hooks of parallel calls
count right: an unlocked atomic rename lost 78 % of the updates of eight writers. Whatever happens to the
file, there is a state to judge by: that of the newest slot that can be read, else an empty one.
"""

from __future__ import annotations

import time

from .call import digest
from .fastjson import dumps, loads
from .system import (
    O_CLOEXEC,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDONLY,
    UPDATE,
    close,
    fstat,
    open,
    open_private,
    pread,
    pwrite,
    try_lock,
    write_whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .state import Json, SessionState

SLOT = 1 << 17  # bytes; a usual state takes 2 to 20 kB, the rest of the file is a hole
HEADER = 40  # bytes: sequence number, length and mark of the JSON text that follows
LATEST = 10**15  # sequence numbers have fewer digits
# Harnesses give a hook 10 seconds. Of two hundred calls at once the last waits for some seconds, while
# all the others save; where nobody saves any more, a hook that hangs holds the lock.
LOCK_WAIT = 7.0  # seconds
STALLED = 1.5  # seconds
GRANTED = (
    "extra",
    "lifted_until",
)  # what a person has granted outlives a state that cannot be used


def file_name(harness: str, session: str) -> str:
    """Return the name of a session's file below `<state>/sessions`; the session's id is only hashed."""
    return harness + "-" + digest(session) + ".json"


def peek(path: str) -> dict[str, Any]:
    """Read the state in a session file without locking it; {} when it holds none."""
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    try:
        return _newest(descriptor, SLOT)[1]
    finally:
        close(descriptor)


def _newest(descriptor: int, slot: int) -> tuple[int, Json]:
    """Return (sequence number, state) of the newest usable slot; (0, {}) when there is none."""
    headers = [_header(descriptor, start) for start in (0, slot)]
    for sequence, length, mark in sorted(headers, reverse=True):
        state = _content(descriptor, sequence, min(length, slot), mark, slot) if sequence else None
        if state is not None:
            return sequence, state
    return 0, {}


def _header(descriptor: int, start: int) -> tuple[int, int, str]:
    try:
        sequence, length, mark = pread(descriptor, HEADER, start).decode("ascii").split()
    except (OSError, ValueError):
        return 0, 0, ""
    known = sequence.isdigit() and length.isdigit() and int(sequence) < LATEST
    return (int(sequence), int(length), mark) if known else (0, 0, "")


def _content(descriptor: int, sequence: int, length: int, mark: str, slot: int) -> Json | None:
    try:
        text = pread(descriptor, length, sequence % 2 * slot + HEADER).decode("ascii")
        state = loads(text) if _mark(sequence, text) == mark else None
    except (OSError, ValueError, RecursionError):
        return None
    return state if isinstance(state, dict) else None


def _mark(sequence: int, text: str) -> str:
    """Return the checksum of a slot. It covers the sequence number, so a torn header is noticed."""
    return digest(f"{sequence} {text}")


class Store:
    """A JSON object in a file, opened and locked on construction; `close` (or exit) unlocks.

    Never raises before `save`: `fault` is why that will fail, None while nothing speaks against it.
    `patience`: seconds to wait for the lock at most.
    """

    __slots__ = ("_descriptor", "_sequence", "_slot", "fault", "state")

    def __init__(self, path: str, patience: float, slot: int = SLOT) -> None:
        self._descriptor, self._sequence, self._slot = -1, 0, slot
        self.fault: Exception | None = None
        self.state: Json = {}
        try:
            self.fault = self._open(path)
            if not self.fault and not _lock(self._descriptor, patience):
                self.fault = TimeoutError("the state of a session was locked for too long")
            self._sequence, self.state = _newest(self._descriptor, slot)
        except (OSError, ValueError) as fault:  # ValueError: a NUL in the path
            self.fault = fault

    def _open(self, path: str) -> Exception | None:
        """Open to read at least; return the reason where the file may not be written."""
        try:
            self._descriptor = open_private(path, UPDATE)
        except OSError as fault:
            self._descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            return fault
        return None

    def save(self) -> None:
        """Write `state`; OSError or ValueError where the disk keeps what it held."""
        if self.fault:
            raise self.fault
        sequence, text = self._sequence + 1, dumps(self.state)
        if len(text) > self._slot - HEADER:
            raise ValueError(f"a state grew to {len(text)} bytes")
        header = f"{sequence:015d} {len(text):09d} {_mark(sequence, text)}".ljust(HEADER)
        data = (header + text).encode("ascii")
        write_whole(pwrite(self._descriptor, data, sequence % 2 * self._slot), data)
        self._sequence = sequence

    def close(self) -> None:
        if self._descriptor >= 0:
            close(self._descriptor)


class Session(Store):
    """The store of one session; a call is judged by `state` whether or not it can be saved."""

    __slots__ = ()
    state: SessionState  # type: ignore[assignment]

    def __init__(self, folder: str, harness: str, session: str) -> None:
        super().__init__(folder + "/sessions/" + file_name(harness, session), LOCK_WAIT)

    def reset(self) -> None:
        """Forget everything but what a person has granted."""
        for name in self.state.keys() - set(GRANTED):
            del self.state[name]  # type: ignore[misc]
        for name in GRANTED:
            if type(self.state.get(name, 0)) not in (int, float):
                del self.state[name]  # type: ignore[misc]


def _lock(descriptor: int, patience: float) -> bool:
    """Wait for the lock as long as its holders make progress: each of them changes the file."""
    started = changed = time.monotonic()
    written = 0
    while not try_lock(descriptor):
        now = fstat(descriptor).st_mtime_ns
        if now != written:
            written, changed = now, time.monotonic()
        waited = time.monotonic() - started
        if waited >= patience or time.monotonic() - changed >= STALLED:
            return False
        time.sleep(min(0.015, 0.002 + waited / 50))  # hundreds must leave the processor to one
    return True
