"""Read families in other processes, while the wires judge those that have been read."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context

from .events import Event
from .families import Family, merged

Told = Iterable[tuple[str, Event]]

MIN_BYTES = 1 << 25  # of all logs: below, starting processes costs more than they save
MAX_BYTES = 1 << 25  # of a family that is read at once; larger ones are judged as they are read
FAMILIES_AHEAD = 3  # per process, so that memory is bounded
PATIENCE = 60  # seconds: a family takes a few


def read(families: Iterable[Family]) -> Iterator[tuple[Family, Told]]:
    """Yield each family with its events, in order."""
    wanted, workers = list(families), os.cpu_count() or 1
    if workers == 1 or sum(family.size for family in wanted) < MIN_BYTES:
        yield from ((family, merged(family)) for family in wanted)
        return
    # spawn: a progress bar has a thread of its own, which a forked process would not survive.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        rest, ahead = iter(wanted), deque[tuple[Family, Future[list[tuple[str, Event]]] | None]]()
        for family in islice(rest, FAMILIES_AHEAD * workers):
            ahead.append((family, _begun(pool, family)))
        while ahead:
            family, reading = ahead.popleft()
            yield family, _told(family, reading)
            for another in islice(rest, 1):
                ahead.append((another, _begun(pool, another)))


def _begun(pool: ProcessPoolExecutor, family: Family) -> Future[list[tuple[str, Event]]] | None:
    try:
        return pool.submit(_all, family) if family.size <= MAX_BYTES else None
    except BrokenProcessPool:
        return None


def _told(family: Family, reading: Future[list[tuple[str, Event]]] | None) -> Told:
    """What another process has read; where that one was ended, for want of memory, say, we read.

    A task that is handed in while the pool breaks down is never told of it (CPython 3.11): no waiting
    is without an end.
    """
    try:
        return reading.result(PATIENCE) if reading else merged(family)
    except (BrokenProcessPool, TimeoutError):
        return merged(family)


def _all(family: Family) -> list[tuple[str, Event]]:
    return list(merged(family))
