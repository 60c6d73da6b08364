from __future__ import annotations

from pathlib import Path

from runaway.guard.call import ASK, DENY, NOTE
from runaway.guard.policy import Policy
from runaway.installer.replay.engine import Replayed, Trip
from runaway.installer.replay.summary import summary

POLICY = Policy({}, "/none")


def trip(rule: str, level: int, call: int, calls: int = 0, dollars: float = 0.0) -> Trip:
    return Trip(rule, level, 6, "", "bash", call, 0.0, calls, dollars)


def session(*trips: Trip, calls: int = 100) -> Replayed:
    return Replayed("plain", "s", Path("s.jsonl"), calls, 2, 1.5, (), trips)


def test_rates_are_per_session_and_per_call() -> None:
    looped = session(trip("loop.same_call", ASK, 10, 91, 1.0), trip("loop.same_call", DENY, 14, 87))
    told = summary([looped, session(trip("loop.same_call", NOTE, 4)), session(), session()], POLICY)
    assert (told.sessions, told.calls, told.prompts, told.dollars) == (4, 400, 8, 6.0)
    assert (told.tripped, told.median_call, told.calls_saved, told.dollars_saved) == (
        1,
        10,
        91,
        1.0,
    )
    (rule,) = [rule for rule in told.rules if rule.sessions]
    assert rule == ("loop.same_call", 1, 25.0, 25.0, 10)


def test_the_first_trip_of_a_session_is_the_one_that_saves() -> None:
    both = session(
        trip("failure.rounds", ASK, 7, 94, 0.9), trip("loop.same_call", ASK, 20, 81, 0.5)
    )
    told = summary([both], POLICY)
    assert (told.calls_saved, told.dollars_saved) == (94, 0.9)


def test_sessions_without_a_call_do_not_count() -> None:
    assert summary([session(calls=0)], POLICY).sessions == 0


def test_every_rule_of_the_policy_has_its_line_and_so_have_others_that_tripped() -> None:
    told = summary([session(trip("tamper", ASK, 1))], POLICY)
    assert [rule.rule for rule in told.rules] == [*POLICY.limits, "tamper"]
    assert summary([], POLICY).rules[0].per_100_sessions == 0.0
