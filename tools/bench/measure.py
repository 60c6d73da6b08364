"""Time commands against the first of them, in interleaved rounds."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """A measured command: `feed(round)` gives its stdin, and may change files before it runs."""

    name: str
    command: list[str]
    feed: Callable[[int], bytes]
    target: float | None = None


def cpu(row: Row, number: int, home: Path) -> float:
    """Milliseconds of CPU that the child took."""
    data = row.feed(number)
    child = subprocess.Popen(
        row.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
    )
    assert child.stdin
    child.stdin.write(data)
    child.stdin.close()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1000


def measure(
    table: list[Row], rounds: int, home: Path
) -> list[tuple[str, float, float, float | None]]:
    """(name, median ms, ratio to the first row, target), all rows in turn in every round."""
    times: list[list[float]] = [[] for _ in table]
    for number in range(rounds):
        for row, own in zip(table, times, strict=True):
            own.append(cpu(row, number, home))
    medians = [statistics.median(own) for own in times]
    pairs = zip(table, medians, strict=True)
    return [(row.name, median, median / medians[0], row.target) for row, median in pairs]
