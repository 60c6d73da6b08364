"""What the guard wrote down while it ran: sessions, trips and money, read without disturbing it."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from ..guard import ledger
from ..guard.call import DENY, LEVELS
from ..guard.history import LEVEL
from ..guard.session import peek
from ..guard.system import append_line
from . import records
from .errors import Refusal
from .machine import Machine
from .records import Record, Records
from .result import Message

DOCTOR = "runaway-doctor"  # how the ids began that the doctor of earlier versions made up
SHORT = 8  # characters of an id that usually tell sessions apart
DRILLS = "drills"  # ids of sessions, one a line
DAY = re.compile(r"\d{4}-\d\d-\d\d\.jsonl")


class Session(NamedTuple):
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
    added: float = 0.0  # dollars by which a person has raised its cap
    stopped: bool = False  # its last call was denied


NOBODY = Session("", "", "", 0, 0, 0, 0, 0, "", 0, "", money_known=False)


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
    source: str = ""  # the project's file that the limit comes from


def leave_out(machine: Machine, session: str) -> None:
    """A drill is nobody's work: neither its session nor its trips are shown."""
    if session:
        append_line(str(machine.state / DRILLS), session + "\n", records.MAX_FILE_BYTES)


def sessions(machine: Machine) -> Records[Session]:
    """The newest first; files that hold no sound session are counted."""
    folder = machine.state / "sessions"
    names, problems = records.entries(folder)
    files = [path for path in names if path.suffix == ".json"]
    found = [_session(path) for path in files]
    seen = [one for one in found if one and one.session]
    hidden = _hidden(machine)
    shown = sorted(
        (one for one in seen if not hidden(one.session)), key=lambda one: one.seen, reverse=True
    )
    return Records(tuple(shown), (*problems, *records.damaged(found.count(None), "file", folder)))


def _session(path: Path) -> Session | None:
    """None for a damaged file; one that holds nothing yet is a session without a name."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait
            return None
        return seen_in(peek(str(path))) if status.st_size else NOBODY
    except (OSError, ValueError, RecursionError):
        return None


def seen_in(state: object) -> Session:
    """What a session's state tells; ValueError where its parts are of wrong types."""
    state = records.table(state)
    spend = records.table(state.get("spend", {}))
    agents = records.table(state.get("agents", {})).values()
    return Session(
        harness=records.text(state, "harness"),
        session=records.text(state, "session"),
        cwd=records.text(state, "cwd", ""),
        started=records.moment(state, "started"),
        seen=records.moment(state, "seen"),
        dollars=records.dollars(spend, "total", 0),
        prompt_dollars=records.dollars(spend, "prompt", 0),
        calls=sum(int(records.number(records.table(agent), "count")) for agent in agents),
        unknown_model=records.text(spend, "unknown", ""),
        lifted_until=min(records.number(state, "lifted_until", 0, inf), records.LATEST),
        transcript=records.text(state, "transcript", ""),
        money_known="spend" in state,
        added=_raised_by(state),
        stopped=_is_stopped([records.table(agent) for agent in agents]),
    )


def _raised_by(state: Record) -> float:
    """The dollars that `resume --add` gave; what is none raises nothing."""
    try:
        return records.dollars(state, "extra", 0)
    except ValueError:
        return 0.0


def _is_stopped(agents: list[Record]) -> bool:
    """Was the last call of the agent that called last denied? A prompt or `resume` clears it."""
    try:
        last = max(agents, key=lambda agent: records.number(agent, "seen", 0))
        return int(last["calls"][-1][LEVEL]) >= DENY
    except (LookupError, TypeError, ValueError):  # no call, or one of another shape
        return False


def trips(machine: Machine) -> Records[Trip]:
    """The oldest first."""
    found = records.records(machine.state / "trips.jsonl", _trip)
    hidden = _hidden(machine)
    return found._replace(rows=tuple(trip for trip in found.rows if not hidden(trip.session)))


def _trip(record: Record) -> Trip:
    level = records.text(record, "level")
    if level not in LEVELS[1:]:
        raise ValueError(f"no answer is called {level:.20}")
    return Trip(
        time=records.moment(record, "time"),
        harness=records.text(record, "harness"),
        session=records.text(record, "session"),
        agent=records.text(record, "agent"),
        cwd=records.text(record, "cwd"),
        tool=records.text(record, "tool"),
        rule=records.text(record, "rule"),
        count=records.number(record, "count"),
        level=level,
        answered=records.flag(record, "answered"),
        text=records.text(record, "text"),
        source=records.text(record, "source", ""),
    )


def _hidden(machine: Machine) -> Callable[[str], bool]:
    """Is a session of this id the doctor's, or a drill's?"""
    drills = _drills(machine)
    return lambda session: session.startswith(DOCTOR) or session in drills


def _drills(machine: Machine) -> frozenset[str]:
    try:
        lines = records.tail(machine.state / DRILLS)
    except OSError:
        return frozenset()
    return frozenset(line.decode("utf-8", "replace") for line in lines)


class Days(NamedTuple):
    """Date -> priced steps of that day, in the order of time."""

    steps: dict[str, list[dict[str, Any]]]
    problems: tuple[Message, ...]


def days(machine: Machine) -> Days:
    folder = machine.state / "ledger"
    names, problems = records.entries(folder)
    found = {path.stem: _day(path) for path in names if DAY.fullmatch(path.name)}
    steps = {day: [step for step in one.rows if step["dollars"]] for day, one in found.items()}
    return Days(steps, (*problems, *(told for one in found.values() for told in one.problems)))


def _day(path: Path) -> Records[dict[str, Any]]:
    """What each line adds to its day: lines state running totals, and the largest counts."""
    sums = ledger.nothing()

    def step(record: Record) -> dict[str, Any]:
        told = {
            "project": records.text(record, "project"),
            "harness": records.text(record, "harness"),
            "session": records.text(record, "session", ""),
        }
        return {**told, "dollars": ledger.added(sums, record)}

    return records.records(path, step)


def prefixes(known: Iterable[Session]) -> dict[str, str]:
    """Session id -> the beginning by which commands find it and no other of these sessions."""
    names = ["", *sorted({one.session for one in known}), ""]
    around = zip(names, names[1:-1], names[2:], strict=False)
    return {
        name: name[: max(SHORT, _shared(name, before) + 1, _shared(name, after) + 1)]
        for before, name, after in around
    }


def _shared(one: str, other: str) -> int:
    """Equal characters at the beginning."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def chosen(machine: Machine, wanted: str) -> Session:
    """The session of this id (or the beginning of one), or the one that tripped `last`."""
    (known, damage), (tripped, gaps) = sessions(machine), trips(machine)
    if wanted == "last":
        matching = [one for one in known if tripped and one.session == tripped[-1].session]
        matching = matching[:1] or list(known[:1])
    else:
        begins = [one for one in known if one.session.startswith(wanted)]
        matching = [one for one in begins if one.session == wanted] or begins
    if len(matching) == 1:
        return matching[0]
    text = "There is no session yet." if wanted == "last" else f"There is no session {wanted!r}."
    if matching:
        text = f"{wanted!r} is the beginning of {len(matching)} sessions."
    text = " ".join((text, *(problem.text for problem in (*damage, *gaps))))
    raise Refusal(text, code="no-session", fix="`runaway status` lists the sessions.")
