"""The money of a day over all sessions and harnesses: one appended line per priced step.

    <state>/ledger/2026-11-30.jsonl   {"dollars":0.12,"harness":"claude","project":"/app","session":"…"}

Appending needs no lock; each session remembers how far it has read, so a look costs one small read.
"""

from __future__ import annotations

import time

from .fastjson import dumps, loads
from .system import O_CLOEXEC, O_NOFOLLOW, O_RDONLY, append_line, close, open, pread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST_READ = 1 << 22
LARGEST = 1 << 30  # bytes of a day (money must not stop being counted), and dollars of a step


def day_of(when: float) -> str:
    """Local date, as people reckon a day's spending."""
    return time.strftime("%Y-%m-%d", time.localtime(when))


def path_of(state: str, day: str) -> str:
    return f"{state}/ledger/{day}.jsonl"


def book(state: str, day: str, harness: str, session: str, project: str, dollars: float) -> None:
    """A ledger that cannot be written must not hide what the session itself has cost."""
    entry = {
        "dollars": round(dollars, 6),
        "harness": harness,
        "project": project,
        "session": session,
    }
    try:
        append_line(path_of(state, day), dumps(entry) + "\n", LARGEST)
    except OSError as error:
        from .health import note

        note(state, harness, error)


def totals(state: str, now: float, project: str, memory: dict[str, Any]) -> tuple[float, float]:
    """(dollars of today in this project, dollars of today on this machine).

    `memory` is `{"day", "offset", "project", "machine"}`, kept by the session between two looks.
    """
    day = day_of(now)
    if memory.get("day") != day:
        memory.clear()
        memory.update({"day": day, "offset": 0, "project": 0.0, "machine": 0.0})
    for entry in _new_entries(path_of(state, day), memory):
        memory["machine"] += entry["dollars"]
        if entry["project"] == project:
            memory["project"] += entry["dollars"]
    return memory["project"], memory["machine"]


def _new_entries(path: str, memory: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    except OSError:
        return []
    data = pread(descriptor, LARGEST_READ, memory["offset"])
    close(descriptor)
    whole, newline, _ = data.rpartition(b"\n")
    memory["offset"] += len(whole) + len(newline)
    return [entry for line in whole.split(b"\n") if line for entry in _entry(line)]


def _entry(line: bytes) -> list[dict[str, Any]]:
    try:
        entry = loads(line.decode("utf-8", "replace"))
        dollars = float(entry["dollars"])
        return [{"project": entry["project"], "dollars": dollars}] if 0 < dollars < LARGEST else []
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
