"""Is the guard armed in each harness? By the doctor's checks, but without starting a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from . import health, managed_scope
from .durations import age
from .errors import Refusal
from .harnesses import clients
from .harnesses.base import Check, Harness
from .harnesses.wired import is_anothers
from .launcher_check import can_start
from .machine import Machine
from .plan import is_installed


class Protection(NamedTuple):
    """`why_not`: the reason and the remedy, None where it is armed; `wired`: its settings hold us."""

    armed: bool
    why_not: str | None
    wired: bool


def of(machine: Machine, harness: Harness, now: float) -> Protection:
    """In the current folder, whose project counts with the person's own settings and managed ones."""
    checks = (
        *harness.checks(machine, machine.cwd, ask=False),
        *clients.checks(machine, harness, ask=False),
    )
    own = [one for one in checks if one.level == "error"]
    wired = not any(one.check.startswith("installed.") for one in own)
    guards = managed_scope.serving(machine, harness.SCOPES)
    problem = next((one for guard in guards for one in machine_problems(guard, now)), None)
    found = problem or next(iter(own), None)
    return Protection(found is None, _sentence(found) if found else None, wired)


def _sentence(check: Check) -> str:
    return f"{check.message} {check.fix}".strip()


def machine_problems(guard: Machine, now: float) -> Iterator[Check]:
    """What keeps this guard from stopping anything in any harness."""
    rerun = managed_scope.RERUN if guard.shared else "Run `runaway setup`."
    if not managed_scope.is_in_place(guard) or not guard.launcher.exists():
        text = "The guard is not installed on this machine."
        yield Check("", "installed.code", "error", text, rerun)
        return
    if not can_start(guard):
        text = "The guard's code or launcher is missing or was changed."
        yield Check("", "installed.code", "error", text, rerun)
    try:
        policy = managed_scope.policy_of(guard)
    except Refusal as refusal:
        yield Check("", "installed.policy", "error", refusal.text, refusal.fix)
        return
    if problem := health.state_problem(guard._replace(state=Path(policy.state))):
        yield problem
    if policy.observe:
        fix = "Run `runaway config set mode enforce`."
        yield Check("", "fires.mode", "error", "The guard observes only: nothing is stopped.", fix)
    elif now < policy.paused_until:
        text = f"The guard is paused for another {age(policy.paused_until - now)}."
        yield Check("", "fires.paused", "error", text, "Run `runaway pause --off`.")


def is_here(machine: Machine, harness: Harness) -> bool:
    """Is the harness on this machine, or our entry in one of its files?"""
    return harness.detect(machine) is not None or any(
        is_installed(target) and not is_anothers(one, target)
        for one in (machine, managed_scope.of(machine))
        for scope in harness.SCOPES
        if (scope == "managed") is one.shared
        for target in [harness.edit_target(one, scope, harness.path(one, scope, machine.cwd))]
    )
