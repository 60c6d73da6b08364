"""The arithmetic behind a session's dollars, and its last calls, read again from its own log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..guard import transcripts
from ..guard.prices import find_billed
from ..guard.spending import reader_of
from ..guard.transcripts.tail import new_lines
from ..guard.usage import CACHE_READ, INPUT, OUTPUT, SYNTHETIC, Usage, price
from ..guard.words import short
from .sessions import Session

if TYPE_CHECKING:
    from ..guard.state import Cursor

TOKENS = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "web_searches")
SHORT = 60  # characters of a call's arguments


class Line(NamedTuple):
    """All responses of one model: token counts by kind, their dollars, and prices per million."""

    model: str
    responses: int
    tokens: dict[str, float]
    dollars: float
    prices: tuple[float, float, float]
    known: bool


class Made(NamedTuple):
    """One call and what became of it."""

    agent: str
    tool: str
    arguments: str
    outcome: str


class Paid(NamedTuple):
    """What one response of this agent used of one model, which may be an advisor's."""

    agent: str
    model: str
    usage: Usage
    when: float


class Branch(NamedTuple):
    """All responses of one agent, the main one ("") or a subagent."""

    agent: str
    responses: int
    dollars: float


def paid(session: Session) -> tuple[Paid, ...]:
    """What is billed; empty where the log is gone or tells no tokens."""
    largest: dict[str, Paid] = {}
    for number, (agent, event) in enumerate(_events(session)):
        if event[transcripts.KIND] == transcripts.USAGE:
            _, when, identity, model, usage, _ = event
            known = largest.get(identity)
            if model != SYNTHETIC and (not known or usage.output >= known.usage.output):
                largest[identity or str(number)] = Paid(agent, model, usage, when)
    return tuple(
        Paid(one.agent, part or one.model, used, one.when)
        for one in largest.values()
        for part, used in one.usage.parts or (("", one.usage),)
    )


def lines(parts: Iterable[Paid], overrides: Any) -> tuple[Line, ...]:
    """One line per model."""
    by_model: defaultdict[str, list[tuple[Usage, float]]] = defaultdict(list)
    for part in parts:
        by_model[part.model].append((part.usage, part.when))
    return tuple(_line(model, used, overrides) for model, used in sorted(by_model.items()))


def branches(parts: Iterable[Paid], overrides: Any) -> tuple[Branch, ...]:
    """One per agent, the dearest first."""
    by_agent: defaultdict[str, list[float]] = defaultdict(list)
    for part in parts:
        row, _ = find_billed(part.model, part.usage.replied, part.when, overrides)
        by_agent[part.agent].append(price(row, part.usage))
    found = [Branch(agent, len(dollars), sum(dollars)) for agent, dollars in by_agent.items()]
    return tuple(sorted(found, key=lambda branch: -branch.dollars))


def _line(model: str, used: list[tuple[Usage, float]], overrides: Any) -> Line:
    tokens = {kind: sum(getattr(usage, kind) for usage, _ in used) for kind in TOKENS}
    rows = [find_billed(model, usage.replied, when, overrides) for usage, when in used]
    dollars = sum(price(row, usage) for (row, _), (usage, _) in zip(rows, used, strict=True))
    row, known = rows[-1]
    told = {kind: count for kind, count in tokens.items() if count}
    return Line(model, len(used), told, dollars, (row[INPUT], row[OUTPUT], row[CACHE_READ]), known)


def last_calls(session: Session, count: int) -> tuple[Made, ...]:
    """The newest last; what was kept from running is no evidence of anything."""
    made: dict[str, Made] = {}
    for agent, event in _events(session):
        if event[transcripts.KIND] == transcripts.CALL:
            _, _, call_id, tool, arguments, *_ = event
            made[call_id] = Made(agent, tool, short(arguments, SHORT), "no result yet")
        elif event[transcripts.KIND] == transcripts.RESULT and event[2] in made:
            made[event[2]] = made[event[2]]._replace(outcome=event[3])
    return tuple(one for one in made.values() if one.outcome != transcripts.NEUTRAL)[-count:]


def _events(session: Session) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if session.harness not in transcripts.READERS or not session.transcript:
        return
    reader = reader_of(session.harness)
    for agent, path in reader.files(session.transcript, session.session, {}):
        memory: dict[str, Any] = {}
        cursor: Cursor = ()
        while True:
            news = new_lines(path, cursor)
            yield from (
                (memory.get("agent", agent), event) for event in reader.events(news.lines, memory)
            )
            if not news.left or news.cursor == cursor:
                break
            cursor = news.cursor
    if hasattr(reader, "sidecar_events"):
        yield from (
            ("", event) for event in reader.sidecar_events(session.transcript, session.seen, {})
        )
