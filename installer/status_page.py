"""What `runaway status` shows to a person: it fits a terminal of 24 lines and 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from . import in_force
from .durations import age
from .fitting import COLUMNS, fitted, middle_cut, width
from .harnesses.base import Check
from .harnesses.registry import HARNESSES
from .machine import Machine
from .sessions import Session, Trip, prefixes

MAX_LINES = 20  # leaves room for the prompt, and for a warning on stderr
MAX_PROJECTS = 1
MAX_SESSIONS = 3
MAX_HELD = 2  # sessions that are stopped, and as many that are lifted
MAX_TRIPS = 2
NOT_ARMED = "NOT armed"
# What `resume` takes beside the session where a cap stands in the way.
BEYOND_CAP = {"spend.session": " --add 5", "spend.machine_day": " --for 30m"}


class Page(NamedTuple):
    """What is shown; `blocked`: why nothing is stopped in any harness, None where nothing is wrong."""

    machine: Machine
    data: dict[str, Any]
    seen: tuple[Session, ...]
    trips: tuple[Trip, ...]
    blocked: Check | None
    now: float


def lines(page: Page) -> tuple[str, ...]:
    """Where there is too much, trips go first, then sessions, then what a person has lifted."""
    parts = {part: list(part(page)) for part in PARTS}
    excess = sum(map(len, parts.values())) - MAX_LINES
    for part in (_trips, _sessions, _lifted):
        kept = max(0, len(parts[part]) - max(0, excess))
        excess -= len(parts[part]) - kept
        del parts[part][kept:]
    return tuple(fitted(line) for part in parts.values() for line in part)


def _halted(page: Page) -> Iterator[str]:
    """What the person has stopped comes first, with what lets it go on."""
    for what, command in in_force.stopped(page.data["stopped"], page.seen):
        yield f"You have stopped {what}: {command} lets it go on"


def _guard(page: Page) -> Iterator[str]:
    rows = page.data["harnesses"]
    yield _headline(page.blocked, [row["armed"] for row in rows])
    names = [HARNESSES[row["harness"]].DISPLAY for row in rows]
    room = max(map(width, names), default=0)
    for name, row in zip(names, rows, strict=True):
        yield f"  {name:{room}}  {_state(page, row)}"
    if page.blocked or not all(row["armed"] for row in rows):
        yield "  Details and remedies: runaway doctor"


def _headline(blocked: Check | None, armed: list[bool]) -> str:
    if blocked:
        return (
            blocked.message if blocked.check == "fires.mode" else f"{NOT_ARMED}. {blocked.message}"
        )
    if not armed:
        return f"{NOT_ARMED}. No agent was found on this machine."
    if all(armed):
        return "The guard is armed: it stops what trips a wire."
    if any(armed):
        return f"The guard is armed in {sum(armed)} of {len(armed)} agents."
    return f"{NOT_ARMED} in any agent: nothing is stopped."


def _state(page: Page, row: dict[str, Any]) -> str:
    last = f", last ran {age(page.now - row['last_fired'])} ago" if row["last_fired"] else ""
    if row["armed"]:
        return f"armed{last}"
    return f"{NOT_ARMED}{last}" if page.blocked else f"{NOT_ARMED}: {row['why_not']}"


def _money(page: Page) -> Iterator[str]:
    spent, cap = page.data["today"]["dollars"], page.data["caps"]["day"]
    yield f"Spent today: ${spent:.2f}" + (f" of ${cap:.2f} day cap" if cap else "")
    if cap and spent >= cap:
        yield "  The day cap is reached; to go on: runaway resume --for 30m"
    projects = sorted(page.data["today"]["projects"].items(), key=lambda one: -one[1])
    for project, dollars in projects[:MAX_PROJECTS]:
        money = f"${dollars:.2f}"
        yield f"  {middle_cut(page.machine.tilde(project), COLUMNS - 4 - len(money))}  {money}"


def _sessions(page: Page) -> Iterator[str]:
    if not page.seen:
        yield "No session has been seen yet."
        return
    more = len(page.seen) - MAX_SESSIONS
    yield f"Sessions ({more} more: runaway status --json):" if more > 0 else "Sessions:"
    short = prefixes(page.seen)
    for one in page.seen[:MAX_SESSIONS]:
        when = f"{age(page.now - one.seen)} ago"
        start = f"  {short[one.session]}  {one.harness:8}  {when:>14}  {_cost(page, one)}  "
        yield start + middle_cut(page.machine.tilde(one.cwd), max(8, COLUMNS - width(start)))


def _cost(page: Page, one: Session) -> str:
    money = f"${one.dollars:.2f}" if one.money_known else "$?"
    cap = page.data["caps"]["session"]
    return f"{money} of ${cap + one.added:.2f} session cap" if cap else money


def _stopped(page: Page) -> Iterator[str]:
    """With what lets them go on."""
    short = prefixes(page.seen)
    stopped = [one for one in page.seen if one.stopped and page.now >= one.lifted_until]
    for one in stopped[:MAX_HELD]:
        rule = next((trip.rule for trip in page.trips[::-1] if trip.session == one.session), "")
        command = in_force.resume_command(short[one.session]) + BEYOND_CAP.get(rule, "")
        yield f"Stopped: {command} lets it go on{f' ({rule})' if rule else ''}"
    if len(stopped) > MAX_HELD:
        yield f"  {len(stopped) - MAX_HELD} more are stopped: runaway status --json"


def _lifted(page: Page) -> Iterator[str]:
    """With what ends it."""
    short = prefixes(page.seen)
    lifted = list(in_force.lifted(page.seen, page.now))
    for one, what in lifted[:MAX_HELD]:
        yield f"Lifted: {short[one.session]}: {what}"
        if page.now < one.lifted_until:
            yield f"  {in_force.resume_command(short[one.session])} --for 1s ends it"
    if len(lifted) > MAX_HELD:
        yield f"  {len(lifted) - MAX_HELD} more are lifted: runaway status --json"


def _trips(page: Page) -> Iterator[str]:
    short = prefixes(page.seen)
    for trip in page.trips[: -MAX_TRIPS - 1 : -1]:
        session = short.get(trip.session, trip.session[:8])
        when = age(page.now - trip.time)
        line = f"Tripped {when} ago: {session}: {trip.rule} at {trip.count:g}: {trip.level}"
        yield line + _source(page, trip, COLUMNS - width(line))


def _source(page: Page, trip: Trip, room: int) -> str:
    """The project's file that the limit comes from."""
    before = ", limit from "
    path = page.machine.tilde(trip.source)
    return before + middle_cut(path, max(8, room - width(before))) if path else ""


def _troubles(page: Page) -> Iterator[str]:
    """What failed, and what is not in force."""
    if failed := page.data["health"]:
        times = "once" if failed == 1 else f"{failed} times"
        yield f"The guard failed {times} and let the call through: runaway doctor"
    for text in page.data["invalid"][:1]:
        yield page.machine.shortened(text)


PARTS = (_halted, _guard, _money, _sessions, _stopped, _lifted, _trips, _troubles)
