"""`runaway resume`: a person lets a stopped session go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...guard.approvals import factor, scope
from ...guard.policy import UNATTENDED_CAP, Policy, tighten
from ...guard.session import Session
from ...guard.wires.ladder import level_at
from .. import managed_scope, records, sessions
from ..errors import Refusal
from ..files.ownership import refuse_foreign
from ..machine import Machine
from ..result import Message, Result

MAX_LAPS = 100_000
# Parts of a session's state that are reckoned with, and what raises ValueError for a wrong type.
HELD: dict[str, Callable[[Any], object]] = {
    "extra": records.amount,
    "granted": lambda factors: [records.amount(factor - 1) for factor in factors.values()],
}
SPENT: dict[str, Callable[[Any], object]] = {
    "recent": lambda steps: [records.amount(dollars) for _, dollars in steps],
    "day": lambda sums: [records.amount(sums[0]), records.amount(sums[1])],
}


def run(machine: Machine, wanted: str, add: float, until: float | None, laps: int = 0) -> Result:
    """Loops, failures, storms and laps start anew, limits of dollars double.

    A cap is raised by `add` alone; `laps` more turns may come before their limits count.
    """
    if add < 0:
        raise Refusal("--add takes dollars above 0.", code="amount", usage=True)
    if not 0 <= laps <= MAX_LAPS:
        raise Refusal(f"--laps takes 1 to {MAX_LAPS:,}.", code="amount", usage=True)
    machine = managed_scope.served(machine)
    refuse_foreign(machine.state)
    seen = sessions.chosen(machine, wanted)
    session = Session(str(machine.state), seen.harness, seen.session)
    if session.fault:
        session.close()
        if isinstance(session.fault, TimeoutError):
            text = f"Session {seen.session[:8]} is being judged right now."
            raise Refusal(text, code="locked", fix="Run the command again.")
        text = f"The state of session {seen.session[:8]} cannot be written: {session.fault}."
        raise Refusal(text, code="unwritable", fix=f"Look at {machine.tilde(machine.state)}.")
    state = _sound(dict(session.state))
    session.state = state  # type: ignore[assignment]  # what is of a wrong type is not touched
    state.update(agents={}, tripped={}, storm={}, asked={}, laps=0)
    if laps:
        state["more_laps"] = laps
    state["extra"] = state.get("extra", 0) + add
    if until:
        state["lifted_until"] = until
    policy = _policy_of(machine, state)
    _raise_limits(state, policy)
    _raise_limits(state, policy.project)
    session.save()
    session.close()
    held = () if until else tuple(_held(state, policy))
    return replace(_resumed(seen.session, add, until, laps), messages=held)


def _policy_of(machine: Machine, state: dict[str, Any]) -> Policy:
    """With the limits of the session's project, if its file makes sense."""
    policy = managed_scope.policy(machine)
    with suppress(OSError, ValueError, RecursionError):
        tighten(policy, str(state.get("project", "")))
    return policy


def _sound(state: dict[str, Any]) -> dict[str, Any]:
    """Without the parts of wrong types that this command reckons with: they count as absent."""
    spend = state.get("spend", {})
    kept = {name: value for name, value in spend.items() if _fits(SPENT, name, value)}
    return {
        **{name: value for name, value in state.items() if _fits(HELD, name, value)},
        **({"spend": kept} if "spend" in state else {}),
    }


def _fits(shapes: dict[str, Callable[[Any], object]], name: str, value: object) -> bool:
    try:
        shapes.get(name, bool)(value)
    except (TypeError, ValueError, LookupError, AttributeError):
        return False
    return True


def _raise_limits(state: dict[str, Any], policy: Policy | None) -> None:
    """What the session has spent is below the limits of dollars again: as if an ask had been granted."""
    if policy is None:
        return
    spend, granted = state.get("spend", {}), state.setdefault("granted", {})
    spent = {
        "spend.prompt": spend.get("prompt", 0.0),
        "spend.velocity": sum(dollars for _, dollars in spend.get("recent", ())),
        "spend.day": spend.get("day", (0.0,))[0],
    }
    for rule, dollars in spent.items():
        raised, limits = scope(rule, "", policy.source), (None, *policy.limits[rule][1:])
        while level_at(dollars, limits, factor(granted, rule, "", policy.source)):
            granted[raised] = 2 * granted.get(raised, 1)


def _held(state: dict[str, Any], policy: Policy) -> Iterator[Message]:
    """Caps are the person's own word: only more dollars or a time without any rule go past them."""
    spend = state.get("spend", {})
    total, today = spend.get("total", 0.0), spend.get("day", (0.0, 0.0))[1]
    strict = policy.project or policy
    cap = min(strict.session_cap or UNATTENDED_CAP, policy.session_cap or UNATTENDED_CAP)
    cap += state.get("extra", 0)
    if total >= cap:
        whose = "its cap is" if strict.session_cap else "where nobody watches it is held at"
        text = f"The session has spent ${total:.2f}: {whose} ${cap:.2f}."
        yield Message("warning", "cap-holds", text, fix="Add dollars: `runaway resume --add 5`.")
    if strict.day_cap and today >= strict.day_cap:
        text = f"Today's ${strict.day_cap:.2f} are spent: no session goes on."
        fix = "Raise the cap (`runaway config set spend.day_cap`), or `runaway resume --for 30m`."
        yield Message("warning", "cap-holds", text, fix=fix)


def _resumed(session: str, add: float, until: float | None, laps: int) -> Result:
    lines = [f"Session {session[:8]} may go on: its counts start anew."]
    if add:
        lines.append(f"${add:.2f} were added to its cap.")
    if laps:
        lines.append(f"{laps} more turns may come that nobody asks for.")
    if until:
        lines.append("Nothing is stopped in it for that time.")
    data = {"session": session, "added": add, "until": until}
    return Result("resume", "ok", data=data, lines=tuple(lines))
