"""What a replay says in the end: how often each rule would have stepped in, and what that saved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from ...guard.call import ASK
from ...guard.policy import Policy
from .engine import Replayed, Trip


class RuleSummary(NamedTuple):
    """One rule at "ask" or above: `sessions` tripped it, the median one at call `median_call`."""

    rule: str
    sessions: int
    per_100_sessions: float
    per_10000_calls: float
    median_call: float | None


class Summary(NamedTuple):
    """All sessions together; `tripped` of them met any rule at "ask" or above.

    What would have been saved counts from the first such trip of a session to the end of its turn.
    """

    sessions: int
    calls: int
    prompts: int
    dollars: float
    tripped: int
    median_call: float | None
    calls_saved: int
    dollars_saved: float
    rules: tuple[RuleSummary, ...]
    unknown_models: tuple[str, ...]


def summary(replayed: Sequence[Replayed], policy: Policy) -> Summary:
    """Sessions without a single call do not count: nothing could have happened in them."""
    worked = [session for session in replayed if session.calls]
    calls = sum(session.calls for session in worked)
    firsts = [trip for trip in map(first_trip, worked) if trip]
    return Summary(
        len(worked),
        calls,
        sum(session.prompts for session in worked),
        sum(session.dollars for session in worked),
        len(firsts),
        _median(firsts),
        sum(trip.calls_saved for trip in firsts),
        sum(trip.dollars_saved for trip in firsts),
        tuple(_rule(rule, worked, calls) for rule in _rules(worked, policy)),
        tuple(sorted({model for session in worked for model in session.unknown_models})),
    )


def first_trip(session: Replayed, rule: str | None = None) -> Trip | None:
    """The first trip at "ask" or above, of this rule or of any."""
    for trip in session.trips:
        if trip.level >= ASK and rule in (None, trip.rule):
            return trip
    return None


def _rules(worked: Sequence[Replayed], policy: Policy) -> list[str]:
    """Those with limits of their own first, then the others that tripped."""
    tripped = sorted({trip.rule for session in worked for trip in session.trips})
    return list(dict.fromkeys((*policy.limits, *tripped)))


def _rule(rule: str, worked: Sequence[Replayed], calls: int) -> RuleSummary:
    trips = [trip for trip in (first_trip(session, rule) for session in worked) if trip]
    sessions = len(trips)
    return RuleSummary(
        rule,
        sessions,
        100 * sessions / len(worked) if worked else 0.0,
        10_000 * sessions / calls if calls else 0.0,
        _median(trips),
    )


def _median(trips: Iterable[Trip]) -> float | None:
    calls = [trip.call for trip in trips]
    return median(calls) if calls else None
