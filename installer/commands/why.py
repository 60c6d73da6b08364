"""`runaway why`: the evidence of a session's last trip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...guard.call import ASK, DENY, LEVELS, STOP
from ...guard.wires.ladder import level_at
from .. import cost_breakdown, last_responses, managed_scope, sessions
from ..durations import age
from ..errors import Refusal
from ..machine import Machine
from ..result import Message, Result
from ..sessions import Session, Trip

if TYPE_CHECKING:
    from ...guard.policy import Limits
    from ..cost_breakdown import Branch, Line, Made

MAX_CALLS = 8
MAX_BRANCHES = 8
BEFORE_THIS_CALL = (
    "loop.same_result",
    "loop.same_failure",
)  # count results: this call has none yet
ENDED_AT_ONCE = ("continuation.", "storm.")  # in a run that nobody watches, the first trip ends it
CENT = 0.01


def run(machine: Machine, wanted: str, now: float) -> Result:
    """The evidence of a session's last trip."""
    machine = managed_scope.served(machine)
    last_responses.book(machine, now)
    session = sessions.chosen(machine, wanted)
    trips, gaps = sessions.trips(machine)
    own = [trip for trip in trips if trip.session == session.session]
    if not own:
        text = f"Session {session.session[:8]} has not tripped a wire."
        raise Refusal(" ".join((text, *(gap.text for gap in gaps))), code="no-trip")
    last = own[-1]
    calls, money, branches, losses = _log(session, managed_scope.policy(machine).prices)
    limits = None if last.source else managed_scope.policy(machine).limits.get(last.rule)
    data = {
        "session": session._asdict(),
        "trip": asdict(last),
        "limits": limits,
        "trips": len(own),
        "calls": [call._asdict() for call in calls],
        "bill": [line._asdict() for line in money],
        "branches": [branch._asdict() for branch in branches],
    }
    short = sessions.prefixes(sessions.sessions(machine).rows).get(session.session, session.session)
    told = (
        *_reasons(machine, session, own, limits, now, short),
        *_evidence(calls, money, session.dollars),
        *_by_agent(branches),
    )
    return Result("why", "ok", data=data, messages=(*gaps, *losses), lines=told)


def _log(
    session: Session, prices: Any
) -> tuple[tuple[Made, ...], tuple[Line, ...], tuple[Branch, ...], tuple[Message, ...]]:
    """The last calls and the money, from the log that the harness keeps; its layout may be any."""
    try:
        calls, parts = cost_breakdown.last_calls(session, MAX_CALLS), cost_breakdown.paid(session)
        money, branches = (
            cost_breakdown.lines(parts, prices),
            cost_breakdown.branches(parts, prices),
        )
        return calls, money, branches, ()
    except (OSError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        text = f"The session's log {session.transcript} makes no sense: {error}."
        return (
            (),
            (),
            (),
            (Message("warning", "unreadable-transcript", text, path=session.transcript),),
        )


def _reasons(
    machine: Machine, session: Session, own: list[Trip], limits: Any, now: float, short: str
) -> Iterator[str]:
    last = own[-1]
    yield f"Session {session.session} ({last.harness}) in {machine.tilde(session.cwd)}"
    yield f"{age(now - last.time)} ago: {last.level} by the rule {last.rule}"
    yield f"  {last.text}"
    if limits:
        yield from _step(last, limits)
    if last.source:
        yield f"  The limit comes from the project's file {machine.tilde(last.source)}."
    since = f"since the last prompt ${session.prompt_dollars:.4f}"
    yield f"  Spent in this session: ${session.dollars:.4f}; {since}."
    if session.unknown_model:
        yield f"  {session.unknown_model} has no known price: it is counted like the dearest of its kind."
    if not last.answered:
        yield "  The guard only observed: nothing was blocked."
    yield f"The guard has stepped in {_times(len(own))} in this session."
    yield f"Lift it: runaway resume --session {short}"


def _step(trip: Trip, limits: Limits) -> Iterator[str]:
    """The rule's steps, and why the guard took another one than the count alone tells."""
    steps = ", ".join(
        f"{name} at {limit:g}"
        for name, limit in zip(LEVELS[1:], limits, strict=True)
        if limit is not None
    )
    count = trip.count + (trip.rule in BEFORE_THIS_CALL)
    yield f"  This rule's steps: {steps}. It was at {count:g}."
    reached = level_at(count, limits)
    if trip.level == LEVELS[DENY] and reached == ASK:
        yield "  Nobody was there to be asked, or the agent cannot ask: so the call was denied."
    elif trip.level == LEVELS[STOP] and reached < STOP:
        why = "" if trip.rule.startswith(ENDED_AT_ONCE) else ", and it had tripped before"
        yield f"  Nobody watches this run{why}: so the turn was ended."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _evidence(calls: tuple[Made, ...], money: tuple[Line, ...], dollars: float) -> Iterator[str]:
    """The last calls, and how the session's dollars come about."""
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
    others = dollars - sum(line.dollars for line in money)
    if money and others >= CENT:
        yield f"  requests that leave no record, such as compaction: ${others:.4f}"


def _by_agent(branches: tuple[Branch, ...]) -> Iterator[str]:
    """Where the money went, for a session that had subagents."""
    if len(branches) < 2:
        return
    yield f"Money by agent ({len(branches)}):"
    for branch in branches[:MAX_BRANCHES]:
        name = branch.agent[:8] or "main agent"
        yield f"  {name}: {branch.responses} responses, ${branch.dollars:.4f}"
    rest = branches[MAX_BRANCHES:]
    if rest:
        yield f"  {len(rest)} more: ${sum(branch.dollars for branch in rest):.4f}"
