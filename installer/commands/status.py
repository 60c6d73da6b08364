"""`runaway status` and `why`: what the guard saw, what it stopped, and what for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...guard.ledger import day_of
from .. import health, in_force, managed_scope, sessions
from ..durations import age
from ..errors import Refusal
from ..harnesses.base import Harness, Scope
from ..harnesses.registry import HARNESSES
from ..machine import Machine
from ..plan import is_installed
from ..result import Message, Result
from ..sessions import Session, Trip

if TYPE_CHECKING:
    from ..cost_breakdown import Line, Made

SHOWN = 10  # sessions and trips
CALLS = 8


def run(machine: Machine, now: float) -> Result:
    machine = managed_scope.served(machine)
    (seen, damage), (trips, gaps) = sessions.sessions(machine), sessions.trips(machine)
    days, losses = sessions.days(machine)
    steps = days.get(day_of(now), [])
    armed = _armed(machine, seen, now)
    data = {
        "mode": armed["mode"],
        "paused_until": armed["paused_until"],
        "harnesses": armed["harnesses"],
        "today": {
            "dollars": round(sum(step["dollars"] for step in steps), 6),
            "projects": _sums(steps, "project"),
            "harnesses": _sums(steps, "harness"),
        },
        "sessions": [session._asdict() for session in seen],
        "trips": [asdict(trip) for trip in trips],
        "health": len(health.faults(machine, now)),
        "invalid": list(health.project_faults(machine, now, machine.cwd)),
    }
    return Result(
        "status",
        "ok",
        data=data,
        messages=(*damage, *gaps, *losses, *health.unreadable(machine)),
        lines=tuple(_lines(machine, data, seen, trips, now)),
    )


def _armed(machine: Machine, seen: tuple[Session, ...], now: float) -> dict[str, Any]:
    """Per harness: is it on this machine, is the guard in its settings, when did it last run?"""
    policy = managed_scope.policy(machine)
    harnesses = []
    for harness in HARNESSES.values():
        wired = _is_guarded(machine, harness)
        last = max((one.seen for one in seen if one.harness == harness.NAME), default=None)
        if wired or last or harness.detect(machine):
            harnesses.append({"harness": harness.NAME, "wired": wired, "last_fired": last})
    mode = "observe" if policy.observe else "paused" if now < policy.paused_until else "enforce"
    return {"mode": mode, "paused_until": policy.paused_until or None, "harnesses": harnesses}


def _is_guarded(machine: Machine, harness: Harness) -> bool:
    """By the person's own settings, or by those of the machine's owner."""
    places: tuple[tuple[Machine, Scope], ...] = (
        (machine, "user"),
        (managed_scope.of(machine), "managed"),
    )
    return any(
        is_installed(harness.edit_target(one, scope, harness.path(one, scope, machine.home)))
        for one, scope in places
        if scope in harness.SCOPES
    )


def _sums(steps: Iterable[dict[str, Any]], key: str) -> dict[str, float]:
    sums: defaultdict[str, float] = defaultdict(float)
    for step in steps:
        sums[str(step.get(key))] += step["dollars"]
    return {name: round(dollars, 6) for name, dollars in sums.items()}


def _lines(
    machine: Machine,
    data: dict[str, Any],
    seen: tuple[Session, ...],
    trips: tuple[Trip, ...],
    now: float,
) -> Iterator[str]:
    yield {
        "enforce": "The guard stops what trips a wire.",
        "observe": "The guard observes only: nothing is stopped.",
        "paused": f"The guard is paused for another {age((data['paused_until'] or now) - now)}.",
    }[data["mode"]]
    for row in data["harnesses"]:
        wired = "wired" if row["wired"] else "NOT wired"
        last = f", last ran {age(now - row['last_fired'])} ago" if row["last_fired"] else ""
        yield f"  {HARNESSES[row['harness']].DISPLAY}: {wired}{last}"
    yield f"Spent today: ${data['today']['dollars']:.2f}"
    for project, dollars in data["today"]["projects"].items():
        yield f"  {machine.tilde(project)}: ${dollars:.2f}"
    yield "Sessions:" if seen else "No session has been seen yet."
    for one in seen[:SHOWN]:
        when, where = age(now - one.seen), machine.tilde(one.cwd)
        money = f"${one.dollars:.2f}" if one.money_known else "$?"
        yield f"  {one.session[:8]}  {one.harness:8} {when:>11} ago  {money:>8}  {where}"
    for one, what in in_force.lifted(seen, now):
        yield f"Lifted: {one.session[:8]}  {one.harness}: {what}"
    yield from _troubles(machine, data, trips, now)


def _troubles(
    machine: Machine, data: dict[str, Any], trips: tuple[Trip, ...], now: float
) -> Iterator[str]:
    """What tripped, what failed and what is not in force."""
    if trips:
        yield "Last trips:"
    for trip in trips[-SHOWN:]:
        when, what = age(now - trip.time), f"{trip.rule} at {trip.count:g}"
        whose = f" (limit from {machine.tilde(trip.source)})" if trip.source else ""
        yield f"  {when} ago, {trip.session[:8]}: {what}: {trip.level}{whose}"
    if data["health"]:
        yield f"The guard failed {data['health']} times and let the call through: see `runaway doctor`."
    reason = health.unwritable(machine)
    if reason:
        yield f"The guard can remember nothing, and count no call. {reason}."
    yield from (machine.shortened(text) for text in data["invalid"])


def why(machine: Machine, wanted: str, now: float) -> Result:
    """The evidence of a session's last trip."""
    machine = managed_scope.served(machine)
    session = sessions.chosen(machine, wanted)
    trips, gaps = sessions.trips(machine)
    own = [trip for trip in trips if trip.session == session.session]
    if not own:
        text = f"Session {session.session[:8]} has not tripped a wire."
        raise Refusal(" ".join((text, *(gap.text for gap in gaps))), code="no-trip")
    last = own[-1]
    calls, money, losses = _log(session, managed_scope.policy(machine).prices)
    limits = None if last.source else managed_scope.policy(machine).limits.get(last.rule)
    data = {
        "session": session._asdict(),
        "trip": asdict(last),
        "limits": limits,
        "trips": len(own),
        "calls": [call._asdict() for call in calls],
        "bill": [line._asdict() for line in money],
    }
    told = (*_reasons(machine, session, own, limits, now), *_evidence(calls, money))
    return Result("why", "ok", data=data, messages=(*gaps, *losses), lines=told)


def _log(
    session: Session, prices: Any
) -> tuple[tuple[Made, ...], tuple[Line, ...], tuple[Message, ...]]:
    """The last calls and the money, from the log that the harness keeps; its layout may be any."""
    from .. import cost_breakdown

    try:
        return cost_breakdown.last_calls(session, CALLS), cost_breakdown.lines(session, prices), ()
    except (OSError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        text = f"The session's log {session.transcript} makes no sense: {error}."
        return (), (), (Message("warning", "unreadable-transcript", text, path=session.transcript),)


def _reasons(
    machine: Machine, session: Session, own: list[Trip], limits: Any, now: float
) -> Iterator[str]:
    last = own[-1]
    yield f"Session {session.session} ({last.harness}) in {machine.tilde(session.cwd)}"
    yield f"{age(now - last.time)} ago: {last.level} by the rule {last.rule}"
    yield f"  {last.text}"
    if limits:
        steps = ", ".join(
            f"{name} at {limit:g}"
            for name, limit in zip(("note", "ask", "deny", "stop"), limits, strict=True)
            if limit is not None
        )
        yield f"  This rule's steps: {steps}. It was at {last.count:g}."
    if last.source:
        yield f"  The limit comes from the project's file {machine.tilde(last.source)}."
    since = f"since the last prompt ${session.prompt_dollars:.4f}"
    yield f"  Spent in this session: ${session.dollars:.4f}; {since}."
    if session.unknown_model:
        yield f"  {session.unknown_model} has no known price: it is counted like the dearest of its kind."
    if not last.answered:
        yield "  The guard only observed: nothing was blocked."
    yield f"{len(own)} answers in this session so far."
    yield f"Lift it: runaway resume --session {session.session[:8]}"


def _evidence(calls: tuple[Made, ...], money: tuple[Line, ...]) -> Iterator[str]:
    """The last calls, and how the dollars come about."""
    if calls:
        yield "Last calls:"
    for call in calls:
        agent = f"{call.agent[:8]} " if call.agent else ""
        yield f"  {agent}{call.tool} {call.arguments}: {call.outcome}"
    if money:
        yield "Money, in dollars per million tokens (in / out / cache read):"
    for line in money:
        tokens = ", ".join(
            f"{count:,.0f} {kind.replace('_', ' ')}" for kind, count in line.tokens.items()
        )
        prices = " / ".join(f"{price:g}" for price in line.prices)
        yield f"  {line.model} at {prices}: {line.responses} responses, {tokens}: ${line.dollars:.4f}"
