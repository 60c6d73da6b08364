"""The money of each day over all sessions replayed so far, as the guard's ledger would know it."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from ...guard.ledger import day_of

QUARTER = 900.0  # seconds; every time zone changes its day at a quarter of an hour


class Days:
    """Sessions are replayed one after the other: one that ran beside a later one is counted first."""

    def __init__(self) -> None:
        self._dollars: defaultdict[tuple[str, str | None], float] = defaultdict(float)
        self._noted: dict[tuple[str, str], float] = {}

    def book(self, when: float, project: str, dollars: float) -> None:
        day = _day(when // QUARTER)
        self._dollars[day, project] += dollars
        self._dollars[day, None] += dollars

    def noted(self, when: float, project: str) -> tuple[float, str]:
        """(dollars of that day in this project when a note was last given, which day)."""
        day = _day(when // QUARTER)
        return self._noted.get((day, project), 0.0), day

    def note(self, when: float, project: str, dollars: float) -> None:
        self._noted[_day(when // QUARTER), project] = dollars

    def totals(self, when: float, project: str) -> tuple[float, float]:
        """(dollars of that day in this project, dollars of that day on this machine)."""
        day = _day(when // QUARTER)
        return self._dollars[day, project], self._dollars[day, None]


@lru_cache(maxsize=1024)
def _day(quarter: float) -> str:
    return day_of(quarter * QUARTER)
