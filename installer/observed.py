"""What the guard wrote down while it ran: sessions, trips and money, read without disturbing it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from runaway.guard import ledger
from runaway.guard.session import peek
from runaway.guard.system import append_line
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine

DOCTOR = "runaway-doctor"  # how the ids of sessions begin that the doctor makes up
DRILLS = "drills"  # ids of sessions, one a line
LARGEST_LOG = 16 * 1024 * 1024  # bytes; of a longer one the end is read


class Seen(NamedTuple):
    """One session: `seen` and `started` are Unix times, `dollars` its spend so far.

    `money_known` is False where the harness has told no token counts: 0 dollars mean nothing then.
    """

    harness: str
    session: str
    cwd: str
    started: float
    seen: float
    dollars: float
    prompt_dollars: float
    calls: int
    unknown_model: str
    lifted_until: float
    transcript: str
    money_known: bool


@dataclass(frozen=True)
class Trip:
    """One line of trips.jsonl; `answered` is False when the guard only observed."""

    time: float
    harness: str
    session: str
    agent: str
    cwd: str
    tool: str
    rule: str
    count: float
    level: str
    answered: bool
    text: str


def leave_out(machine: Machine, session: str) -> None:
    """A drill is nobody's work: neither its session nor its trips are shown."""
    if session:
        append_line(str(machine.state / DRILLS), session + "\n", LARGEST_LOG)


def _drills(machine: Machine) -> frozenset[str]:
    return frozenset(line.decode("utf-8", "replace") for line in _lines(machine.state / DRILLS))


def sessions(machine: Machine) -> tuple[Seen, ...]:
    """The newest first; files that are no session of ours are passed over."""
    drills = _drills(machine)
    found = [
        seen
        for path in (machine.state / "sessions").glob("*.json")
        for seen in _session(path)
        if seen.session not in drills
    ]
    return tuple(sorted(found, key=lambda one: one.seen, reverse=True))


def _session(path: Path) -> Iterator[Seen]:
    try:
        state = peek(str(path))
        spend = state.get("spend", {})
        seen = Seen(
            harness=str(state["harness"]),
            session=str(state["session"]),
            cwd=str(state.get("cwd", "")),
            started=float(state["started"]),
            seen=float(state["seen"]),
            dollars=float(spend.get("total", 0)),
            prompt_dollars=float(spend.get("prompt", 0)),
            calls=sum(agent["count"] for agent in state.get("agents", {}).values()),
            unknown_model=str(spend.get("unknown", "")),
            lifted_until=float(state.get("lifted_until", 0)),
            transcript=str(state.get("transcript", "")),
            money_known="spend" in state,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    if not seen.session.startswith(DOCTOR):
        yield seen


def trips(machine: Machine) -> tuple[Trip, ...]:
    """The oldest first."""
    drills = _drills(machine)
    found = [_trip(line) for line in _lines(machine.state / "trips.jsonl")]
    return tuple(
        trip
        for trip in found
        if trip and not trip.session.startswith(DOCTOR) and trip.session not in drills
    )


def _trip(line: bytes) -> Trip | None:
    try:
        entry = json.loads(line)
        return Trip(**{field.name: entry[field.name] for field in fields(Trip)})
    except (ValueError, KeyError, TypeError):
        return None


def days(machine: Machine) -> dict[str, list[dict[str, Any]]]:
    """Date -> what each line of the ledger adds to that day, in the order of time."""
    found = {}
    for path in sorted((machine.state / "ledger").glob("????-??-??.jsonl")):
        sums = ledger.nothing()
        added = (ledger.add(sums, line) for line in _lines(path))
        found[path.stem] = [{**step, "project": str(step["project"])} for step in added if step]
    return found


def _lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LARGEST_LOG))
            return [line for line in file.read().split(b"\n") if line]
    except OSError:
        return []


def chosen(machine: Machine, wanted: str) -> Seen:
    """The session of this id (or the beginning of one), or the one that tripped `last`."""
    known = sessions(machine)
    if wanted == "last":
        tripped = [trip.session for trip in trips(machine)]
        matching = [one for one in known if tripped and one.session == tripped[-1]] or list(
            known[:1]
        )
    else:
        matching = [one for one in known if one.session.startswith(wanted)]
    if len(matching) == 1:
        return matching[0]
    text = "There is no session yet." if wanted == "last" else f"There is no session {wanted!r}."
    if matching:
        text = f"{wanted!r} is the beginning of {len(matching)} sessions."
    raise Refusal(text, code="no-session", fix="`runaway status` lists the sessions.")
