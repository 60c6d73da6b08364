"""The engine: one family of logs through the guard's wires, and what would have tripped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...guard.call import NOTHING, Verdict
from ...guard.policy import Policy
from ...guard.prices import cost
from .days import Days
from .events import CallMade, Event, Prompt, Response, ResultSeen
from .families import Family, merged
from .memory import Memory

LASTING = ("spend.session", "spend.day", "spend.machine_day")  # a new prompt does not lift these


class Trip(NamedTuple):
    """The first time a rule reached a level in a session.

    `call` is which call of the session it was (from 1). What would have been saved: this call and
    those after it, up to the person's next prompt.
    """

    rule: str
    level: int
    reached: float
    agent: str
    tool: str
    call: int
    time: float
    calls_saved: int = 0
    dollars_saved: float = 0.0


class Replayed(NamedTuple):
    """What one session would have met; `dollars` covers all its agents.

    `unknown_models` have no price of their own and are counted as dear as the dearest like them.
    """

    harness: str
    id: str
    path: Path
    calls: int
    prompts: int
    dollars: float
    unknown_models: tuple[str, ...]
    trips: tuple[Trip, ...]


@dataclass
class Seen:
    """What other files already told: forks and resumed sessions repeat calls, prompts and usage."""

    ids: set[tuple[str, str]] = field(default_factory=set)

    def first(self, kind: str, id: str) -> bool:
        """Is this the first time? Things without an id always are."""
        if not id:
            return True
        before = len(self.ids)
        self.ids.add((kind, id))
        return len(self.ids) > before


def replay(families: Iterable[Family], policy: Policy) -> Iterator[tuple[Family, Replayed]]:
    """Each family with what it would have met, one after the other."""
    seen, days = Seen(), Days()
    for family in families:
        run = Run(family, seen, Memory(family.harness, family.id, policy, days))
        for agent, event in merged(family):
            run.feed(agent, event)
        yield family, run.end()


class Run:
    """One session on its way through the wires: what has been counted so far."""

    def __init__(self, family: Family, seen: Seen, memory: Memory) -> None:
        self.family = family
        self.seen = seen
        self.memory = memory
        self.calls = self.prompts = 0
        self.dollars = 0.0
        self.priced: dict[str, float] = {}  # of each response, because its usage may be told again
        self.unknown: set[str] = set()  # models without a price
        self.open: list[tuple[Trip, float]] = []  # with the dollars spent before it
        self.trips: list[Trip] = []

    def feed(self, agent: str, event: Event) -> None:
        match event:
            case CallMade():
                self._call(event.agent or agent, event)
            case ResultSeen():
                self.memory.result(event)
            case Response():
                self._response(event)
            case Prompt() if event.human and not agent:
                self._prompt(event)

    def end(self) -> Replayed:
        self._settle(lasting=True)
        trips = tuple(sorted(self.trips, key=lambda trip: (trip.call, trip.level)))
        return Replayed(
            self.family.harness,
            self.family.id,
            self.family.path,
            self.calls,
            self.prompts,
            self.dollars,
            tuple(sorted(self.unknown)),
            trips,
        )

    def _call(self, agent: str, event: CallMade) -> None:
        if not self.seen.first("call", event.id):
            return
        self.calls += 1
        for verdict in self.memory.call(agent, event):
            if verdict.level > NOTHING and not self._tripped(verdict):
                self.open.append((self._trip(verdict, agent, event), self.dollars))

    def _tripped(self, verdict: Verdict) -> bool:
        known = (*self.trips, *(trip for trip, _ in self.open))
        return any((trip.rule, trip.level) == (verdict.rule, verdict.level) for trip in known)

    def _trip(self, verdict: Verdict, agent: str, event: CallMade) -> Trip:
        rule, level, reached = verdict.rule, verdict.level, verdict.count
        return Trip(rule, level, reached, agent, event.tool, self.calls, event.time)

    def _prompt(self, event: Prompt) -> None:
        if not self.seen.first("prompt", event.id):
            return
        self.prompts += 1
        self.memory.prompt(event)
        self._settle(lasting=False)

    def _settle(self, *, lasting: bool) -> None:
        """The turn is over (or, with `lasting`, the session): what the trips of it would have saved."""
        still = []
        for trip, before in self.open:
            if trip.rule in LASTING and not lasting:
                still.append((trip, before))
                continue
            calls, dollars = self.calls - trip.call + 1, self.dollars - before
            self.trips.append(trip._replace(calls_saved=calls, dollars_saved=dollars))
        self.open = still

    def _response(self, event: Response) -> None:
        """The largest usage of a response counts; one that another session has told does not."""
        if event.id not in self.priced and not self.seen.first("usage", event.id):
            return
        before = self.priced.get(event.id, 0.0)
        dollars = max(before, self._price(event))
        if dollars > before:
            self.dollars += dollars - before
            self.memory.spent(event.time, dollars - before)
        if event.id:
            self.priced[event.id] = dollars

    def _price(self, event: Response) -> float:
        if event.dollars is not None:
            return event.dollars
        prices = self.memory.policy.prices
        dollars, known = cost(event.model, event.usage, event.time, prices)
        if not known:
            self.unknown.add(event.model)
        return dollars
