"""Take back what the guard wrote down of a session that only tried whether it answers."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from ..guard.session import file_name

TAIL = 1 << 20  # bytes at the end of the log of trips: what a few seconds can add


def forget(state: Path, harness: str, session: str) -> None:
    """Its file goes, and its lines in the log of trips; what cannot be changed stays."""
    with suppress(OSError):
        (state / "sessions" / file_name(harness, session)).unlink()
    with suppress(OSError):
        _blank(state / "trips.jsonl", session.encode())


def _blank(log: Path, session: bytes) -> None:
    """Hooks may append at any moment, so lines are overwritten with line feeds where they stand."""
    file = os.open(log, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return
        place = max(0, status.st_size - TAIL)
        for line in os.pread(file, TAIL, place).split(b"\n"):
            if session in line:
                os.pwrite(file, b"\n" * len(line), place)
            place += len(line) + 1
    finally:
        os.close(file)
