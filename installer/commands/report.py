"""`runaway report`: what was spent and what tripped over time, as charts and as one HTML page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ...guard.ledger import day_of
from .. import last_responses, managed_scope, sessions
from ..errors import Refusal
from ..files import private
from ..harnesses.registry import HARNESSES
from ..machine import Machine
from ..result import Result
from ..sessions import Trip
from .report_page import page

DAYS = 30  # shown; the sums are over all that was kept
BAR = 40  # characters
EIGHTHS = " ▏▎▍▌▋▊▉█"
SHOWN = 10  # rows of a table


class Day(NamedTuple):
    day: str
    dollars: float
    trips: int


class Report(NamedTuple):
    """Dollars and counts; the mappings have the largest first."""

    days: tuple[Day, ...]
    dollars: float
    trips: int
    harnesses: dict[str, float]
    projects: dict[str, float]
    rules: dict[str, int]
    levels: dict[str, int]


def run(machine: Machine, now: float, html: Path | None) -> Result:
    machine = managed_scope.served(machine)
    last_responses.book(machine, now)
    (days, losses), (trips, gaps) = sessions.days(machine), sessions.trips(machine)
    report = summed(days, trips, now)
    shown = _for_people(machine, report)
    lines = list(_lines(shown))
    if html:
        _refuse_device(html)
        private.replace(html, page(shown, day_of(now)).encode("utf-8", "replace"))
        lines = [
            f"{machine.tilde(html)}: written. It may name your projects: look before you share."
        ]
    data = {
        **report._asdict(),
        "days": [day._asdict() for day in report.days],
        "html": str(html) if html else None,
    }
    return Result("report", "ok", data=data, messages=(*losses, *gaps), lines=tuple(lines))


def _refuse_device(path: Path) -> None:
    """A page takes the place of what is there, which must not be /dev/null."""
    if path.exists() and not path.is_file():
        text = f"{path} is not a regular file."
        raise Refusal(text, code="not-a-file", path=path, fix="Name a file for the page.")


def summed(days: dict[str, list[dict[str, Any]]], trips: tuple[Trip, ...], now: float) -> Report:
    """Sums over all that was kept; single days only of the last ones."""
    steps = [step for entries in days.values() for step in entries]
    tripped = Counter(day_of(trip.time) for trip in trips)
    shown = tuple(
        Day(day, round(sum(step["dollars"] for step in days.get(day, ())), 6), tripped[day])
        for day in _last_days(day_of(now))
    )
    return Report(
        days=shown,
        dollars=round(sum(step["dollars"] for step in steps), 6),
        trips=len(trips),
        harnesses=_sums((str(step.get("harness")), step["dollars"]) for step in steps),
        projects=_sums((step["project"], step["dollars"]) for step in steps),
        rules=dict(Counter(trip.rule for trip in trips).most_common()),
        levels=dict(Counter(trip.level for trip in trips).most_common()),
    )


def _last_days(today: str) -> Iterator[str]:
    last = date.fromisoformat(today)
    for back in range(DAYS - 1, -1, -1):
        yield (last - timedelta(days=back)).isoformat()


def _for_people(machine: Machine, report: Report) -> Report:
    """Names as they are read; in `--json` they are as everywhere else."""
    harnesses = {_display(name): dollars for name, dollars in report.harnesses.items()}
    projects = {machine.tilde(path): dollars for path, dollars in report.projects.items()}
    return report._replace(harnesses=harnesses, projects=projects)


def _display(name: str) -> str:
    return HARNESSES[name].DISPLAY if name in HARNESSES else name


def _sums(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: defaultdict[str, float] = defaultdict(float)
    for name, dollars in pairs:
        sums[name] += dollars
    largest_first = sorted(sums.items(), key=lambda pair: pair[1], reverse=True)
    return {name: round(dollars, 6) for name, dollars in largest_first}


def bar(value: float, largest: float) -> str:
    """A bar in eighths of a character; the smallest amount above zero can be seen."""
    eighths = round(value / largest * BAR * 8) if largest else 0
    eighths = max(eighths, 1) if value else 0
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _lines(report: Report) -> Iterator[str]:
    seen = [day for day in report.days if day.dollars or day.trips]
    if not (seen or report.dollars or report.trips):
        yield "Nothing has been seen yet: no spending, no trips."
        return
    yield f"The last {DAYS} days"
    largest = max(day.dollars for day in report.days)
    for day in report.days[report.days.index(seen[0]) :] if seen else ():
        tripped = f"  {day.trips} trips" if day.trips else ""
        yield f"  {day.day}  ${day.dollars:>8.2f}  {bar(day.dollars, largest):{BAR}}{tripped}".rstrip()
    yield f"In all ${report.dollars:.2f}, {report.trips} trips"
    yield from _table("By agent", report.harnesses)
    yield from _table("By project", report.projects)
    if report.rules:
        yield "Trips by rule"
        width = max(map(len, report.rules))
        largest_count = max(report.rules.values())
        for rule, count in report.rules.items():
            yield f"  {rule:{width}}  {count:>6}  {bar(count, largest_count)}"


def _table(title: str, sums: dict[str, float]) -> Iterator[str]:
    if sums:
        yield title
    width = max(map(len, sums), default=0)
    for name, dollars in list(sums.items())[:SHOWN]:
        yield f"  {name:{width}}  ${dollars:>8.2f}"
