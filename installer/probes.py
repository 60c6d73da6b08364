"""Take back what the guard wrote down of a session that only tried whether it answers."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
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


def sizes(logs: Iterable[Path]) -> dict[Path, int]:
    """How long each log is, in bytes."""
    return {log: log.stat().st_size if log.exists() else 0 for log in logs}


def taken_back(before: Mapping[Path, int], harness: str) -> str:
    """The last of what the guard has written into its health logs since then, about this harness."""
    told = ""
    for log, size in before.items():
        with suppress(OSError):
            lines = _blank(log, f" {harness} ".encode(), size)
            told = lines[-1].partition(b" ")[2].decode("utf-8", "replace") if lines else told
    return told


def _blank(log: Path, mark: bytes, start: int = 0) -> list[bytes]:
    """Hooks may append at any moment, so lines are overwritten with line feeds where they stand."""
    file = os.open(log, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return []
        place = max(start, status.st_size - TAIL)
        found = []
        for line in os.pread(file, TAIL, place).split(b"\n"):
            if mark in line:
                found.append(line)
                os.pwrite(file, b"\n" * len(line), place)
            place += len(line) + 1
        return found
    finally:
        os.close(file)
