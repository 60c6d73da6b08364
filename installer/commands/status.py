"""`runaway status`: is the guard armed, what was spent, what did it stop?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any

from ...guard.ledger import day_of
from ...guard.policy import Policy
from .. import (
    health,
    in_force,
    last_responses,
    launcher_check,
    managed_scope,
    protection,
    sessions,
    status_page,
    unguarded,
)
from ..errors import Refusal
from ..harnesses.registry import HARNESSES
from ..machine import Machine
from ..result import Message, Result
from ..sessions import Session
from ..status_page import Page


def run(machine: Machine, now: float) -> Result:
    """Everything at a glance; exit code 1 where the guard's policy cannot be read."""
    policy, damage = _policy(machine)
    served = managed_scope.served(machine) if policy else machine
    last_responses.book(served, now)
    (seen, problems), (trips, gaps) = sessions.sessions(served), sessions.trips(served)
    days, losses = sessions.days(served)
    policy = policy or Policy({}, str(served.state))
    data = {
        "mode": _mode(policy, now),
        "paused_until": policy.paused_until or None,
        "stopped": policy.stopped,
        "caps": {"session": policy.session_cap or None, "day": policy.day_cap or None},
        "harnesses": list(_harnesses(machine, seen, now)),
        "today": _today(days.get(day_of(now), [])),
        "sessions": [session._asdict() for session in seen],
        "trips": [asdict(trip) for trip in trips],
        "health": len(health.faults(served, now)),
        "invalid": list(health.project_faults(served, now, machine.cwd)),
    }
    blocked = next(protection.machine_problems(managed_scope.guards(machine)[0], now), None)
    page = Page(served, data, seen, trips, blocked, now)
    return Result(
        "status",
        "failed" if damage else "ok",
        exit_code=1 if damage else 0,
        data=data,
        messages=(
            *damage,
            *_unapplied(machine),
            *_unseen(served, now),
            *problems,
            *gaps,
            *losses,
            *health.unreadable(served),
        ),
        lines=status_page.lines(page),
    )


def overview(machine: Machine, now: float) -> Result:
    """What `runaway` alone shows: the state, and what a person would do next."""
    shown = run(machine, now)
    is_set_up = any(row["wired"] for row in shown.data["harnesses"])
    step = "runaway doctor proves it" if is_set_up else "runaway setup"
    return replace(shown, lines=(*shown.lines, f"Next: {step}; all commands: runaway --help"))


def _mode(policy: Policy, now: float) -> str:
    if policy.observe:
        return "observe"
    return "paused" if now < policy.paused_until else "enforce"


def _policy(machine: Machine) -> tuple[Policy | None, tuple[Message, ...]]:
    try:
        return managed_scope.policy(machine), ()
    except Refusal as refusal:
        return None, (Message("error", refusal.code, refusal.text, fix=refusal.fix),)


def _unapplied(machine: Machine) -> Iterator[Message]:
    """The policy as edited, where it is not the policy in force; a guard of another version."""
    for guard in managed_scope.guards(machine):
        rerun = managed_scope.RERUN if guard.shared else "Run `runaway setup`."
        outdated = launcher_check.outdated(guard)
        for check in (*in_force.policy_checks(guard, rerun), *filter(None, (outdated,))):
            yield Message("warning", check.check, check.message, fix=check.fix or None)


def _unseen(machine: Machine, now: float) -> Iterator[Message]:
    for harness in HARNESSES.values():
        for check in unguarded.checks(machine, harness, now):
            text = machine.shortened(check.message)
            yield Message("warning", check.check, text, harness.NAME, None, check.fix)


def _harnesses(machine: Machine, seen: tuple[Session, ...], now: float) -> Iterator[dict[str, Any]]:
    """Those on this machine, those that hold our entry, and those in which the guard has run."""
    for harness in HARNESSES.values():
        last = max((one.seen for one in seen if one.harness == harness.NAME), default=None)
        if last or protection.is_here(machine, harness):
            armed, why_not, wired = protection.of(machine, harness, now)
            yield {
                "harness": harness.NAME,
                "armed": armed,
                "why_not": why_not and machine.shortened(why_not),
                "wired": wired,
                "last_fired": last,
            }


def _today(steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "dollars": round(sum(step["dollars"] for step in steps), 6),
        "projects": _sums(steps, "project"),
        "harnesses": _sums(steps, "harness"),
    }


def _sums(steps: Iterable[dict[str, Any]], key: str) -> dict[str, float]:
    sums: defaultdict[str, float] = defaultdict(float)
    for step in steps:
        sums[str(step.get(key))] += step["dollars"]
    return {name: round(dollars, 6) for name, dollars in sums.items()}
