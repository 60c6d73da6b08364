"""The engine: one family of logs through the guard's wires, and what would have tripped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...guard.call import NOTHING, Verdict
from ...guard.policy import Policy
from . import ahead
from .days import Days
from .events import CallMade, Event, Prompt, Response, ResultSeen, Total
from .families import Family
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

    ids: set[tuple[str, str, str]] = field(default_factory=set)

    def first(self, harness: str, kind: str, id: str) -> bool:
        """Is this the first time? Things without an id always are."""
        if not id:
            return True
        before = len(self.ids)
        self.ids.add((harness, kind, id))
        return len(self.ids) > before


def replay(families: Iterable[Family], policy: Policy) -> Iterator[tuple[Family, Replayed]]:
    """Each family with what it would have met, one after the other."""
    seen, days = Seen(), Days()
    for family, told in ahead.read(families):
        run = Run(family, seen, Memory(family.harness, family.id, policy, days))
        for agent, event in told:
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
        self.responses: set[str] = set()  # told in this session first
        self.unknown: set[str] = set()  # models without a price
        self.open: list[tuple[Trip, float]] = []  # with the dollars spent before it
        self.trips: list[Trip] = []
        self.tripped: set[tuple[str, int]] = set()  # (rule, level) of all of them

    def feed(self, agent: str, event: Event) -> None:
        match event:
            case CallMade():
                self._call(event.agent or agent, event)
            case ResultSeen():
                self.memory.result(event.agent or agent, event)
            case Response():
                self._response(event)
            case Total():
                self.dollars += self.memory.spent(event)
            case Prompt() if not agent:
                self._prompt(event)

    def end(self) -> Replayed:
        self._close(lasting=True)
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
        if not self.seen.first(self.family.harness, "call", event.id):
            self.memory.announced(agent, event)
            return
        self.calls += 1
        for verdict, level in self.memory.call(agent, event):
            if level > NOTHING and (verdict.rule, level) not in self.tripped:
                self.tripped.add((verdict.rule, level))
                self.open.append((self._trip(verdict, level, agent, event), self.dollars))

    def _trip(self, verdict: Verdict, level: int, agent: str, event: CallMade) -> Trip:
        return Trip(verdict.rule, level, verdict.count, agent, event.tool, self.calls, event.time)

    def _prompt(self, event: Prompt) -> None:
        self.memory.prompt(event)
        if event.human and self.seen.first(self.family.harness, "prompt", event.id):
            self.prompts += 1
            self._close(lasting=False)

    def _close(self, *, lasting: bool) -> None:
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
        """What another session has told was paid there: this one's caps know it, no sum does."""
        if event.id not in self.responses and self.seen.first(
            self.family.harness, "usage", event.id
        ):
            self.responses.add(event.id)
        own = not event.id or event.id in self.responses
        self.dollars += self.memory.spent(event, again=not own)
        unknown = self.memory.unknown()
        if unknown is not None:
            self.unknown.add(unknown)
