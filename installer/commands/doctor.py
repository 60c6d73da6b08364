"""`runaway doctor`: four states per harness (installed, allowed, trusted, fires), each proven."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .. import (
    colour,
    deploy,
    earlier_places,
    health,
    in_force,
    launcher_check,
    managed_scope,
    self_test,
    sessions,
    unguarded,
)
from ..durations import age
from ..errors import Refusal
from ..files.ownership import refuse_foreign
from ..harnesses import clients, wired
from ..harnesses.base import Check, Harness, Level
from ..harnesses.drill_check import drill
from ..harnesses.registry import HARNESSES, harness_named
from ..interpreter import choose, probe
from ..machine import Machine
from ..redact import redact
from ..result import Message, Result

ORDER = ("error", "warning", "info", "ok", "skipped")
DOUBTS = ("error", "warning", "skipped", "info", "ok")  # a tick stands for nothing but proof
MARKS = {"error": "✗", "warning": "!", "info": "i", "ok": "✓", "skipped": "-"}
WORDS: dict[Level, str] = {"error": "problem", "warning": "warning", "info": "note"}
NOT_SET_UP = ("installed.code", "installed.entry")
STATES = ("installed", "allowed", "trusted", "fires")
HEALTH_LINES = 3


class Options(NamedTuple):
    """Without `harnesses`, those are examined that are on this machine or hold an entry of ours."""

    harnesses: tuple[str, ...] = ()
    project: Path | None = None
    drill: bool = False
    verbose: bool = False  # what is in order, too
    quiet: bool = False  # the exit code alone


def run(machine: Machine, options: Options, progress: Callable[[str], None] = print) -> Result:
    """The checks of all harnesses at once; drills, which take seconds, one after the other.

    Harnesses and the guard itself are started for it, and they write: Refusal `foreign-folder`.
    """
    for folder in (machine.home, machine.data, machine.state):
        refuse_foreign(folder)
    project, chosen = options.project or machine.cwd, _chosen(machine, options)
    drilled: list[Check] = []
    if options.drill:  # first: it is then known that the guard has run there
        drilled = [check for one in chosen for check in _drilled(machine, one, project, progress)]
    progress(f"Looking at {', '.join(harness.DISPLAY for harness in chosen)}")
    with ThreadPoolExecutor() as pool:
        examined = pool.map(lambda harness: _examined(machine, harness, project), chosen)
        own_files = [
            check for guard in managed_scope.guards(machine) for check in _own_checks(guard)
        ]
        checks = [*own_files, *(check for own in examined for check in own), *drilled]
    own = (
        *_lifted(machine),
        *_health(machine, project),
        *earlier_places.checks(machine),
        *_moved(machine),
    )
    checks = [_shareable(machine, check) for check in (*checks, *own)]
    failed = any(check.level == "error" for check in checks)
    return Result(
        command="doctor",
        status="failed" if failed else "ok",
        exit_code=1 if failed else 0,
        data={"checks": [check._asdict() for check in checks]},
        messages=tuple(_messages(checks)),
        lines=() if options.quiet else tuple(_page(checks, chosen, verbose=options.verbose)),
        paint=colour.checks,
    )


def _examined(machine: Machine, harness: Harness, project: Path) -> list[Check]:
    return [
        *clients.checks(machine, harness, ask=True),
        *harness.checks(machine, project),
        *self_test.checks(machine, harness, project),
        *unguarded.checks(managed_scope.served(machine), harness, time.time()),
    ]


def _drilled(
    machine: Machine, harness: Harness, project: Path, progress: Callable[[str], None]
) -> tuple[Check, ...]:
    progress(f"Drilling {harness.DISPLAY}: its real program against a model server on loopback")
    return drill(
        harness,
        machine,
        project,
        lambda text: progress(f"Drilling {harness.DISPLAY}: {text.strip()}"),
    )


def _shareable(machine: Machine, check: Check) -> Check:
    """Ready to paste into an issue: the home directory as `~`, no secrets."""
    message, fix = (redact(machine.shortened(text)) for text in (check.message, check.fix))
    return check._replace(message=message, fix=fix)


def _chosen(machine: Machine, options: Options) -> list[Harness]:
    if options.harnesses:
        return [harness_named(name) for name in options.harnesses]
    return [harness for harness in HARNESSES.values() if harness.detect(machine)]


def _own_checks(machine: Machine) -> Iterator[Check]:
    """Our own files: launcher, code and interpreter."""
    rerun = managed_scope.RERUN if machine.shared else "Run `runaway setup`."
    if not machine.launcher.exists():
        yield Check(
            "", "installed.code", "error", "The guard is not installed on this machine.", rerun
        )
        return
    try:
        interpreter = choose(machine)
    except Refusal as refusal:
        yield Check("", "installed.interpreter", "error", refusal.text, refusal.fix)
        return
    try:
        current = deploy.is_current(machine, interpreter)
    except Refusal as refusal:
        yield Check("", "installed.code", "error", refusal.text, refusal.fix)
        return
    yield from in_force.policy_checks(machine, rerun)
    if current:
        where = machine.tilde(machine.data)
        yield Check(
            "", "installed.code", "ok", f"Launcher and code in {where} are as setup wrote them."
        )
    elif outdated := launcher_check.outdated(machine):
        yield outdated
    else:
        message = "Launcher or code are not those of this version and this Python, or were changed."
        # The owner's Python may be another one than ours.
        level: Level = "warning" if machine.shared else "error"
        yield Check("", "installed.code", level, message, rerun)
    answers = probe(interpreter.path) is not None
    yield Check(
        "",
        "installed.interpreter",
        "ok" if answers else "error",
        f"The guard runs under {interpreter.path}.",
        "" if answers else rerun,
    )


def _lifted(machine: Machine) -> Iterator[Check]:
    """What a person has lifted is no fault, but must not be forgotten."""
    with suppress(Refusal):  # a damaged policy is told elsewhere
        policy = managed_scope.policy(machine)
        seen = sessions.sessions(managed_scope.served(machine)).rows
        yield from in_force.lifted_checks(policy.paused_until, seen, time.time())
        yield from in_force.stopped_checks(policy.stopped, seen)


def _moved(machine: Machine) -> Iterator[Check]:
    """A project that was moved has taken the entry along."""
    for one in wired.moved(machine):
        text = f"Setup has put the guard into {one.path}, and that file is gone."
        fix = "Where its project was moved, run `runaway setup --scope project` in its new place."
        yield Check(one.harness, "installed.moved", "info", text, fix)


def _health(machine: Machine, project: Path) -> Iterator[Check]:
    """Fail-open never blocks work, but it must not stay unseen."""
    now = time.time()
    problem = health.state_problem(machine)
    if problem:
        yield problem
    faults = health.faults(machine, now)
    if not faults and not problem:
        yield Check("", "fires.health", "ok", "No guard errors logged.")
    for log in dict.fromkeys(fault.log for fault in faults):
        for fault in [one for one in faults if one.log == log][-HEALTH_LINES:]:
            ago = "Some time" if fault.when is None else age(now - fault.when)
            text = f"{ago} ago the guard let a call through, by an error of its own: {fault.what}"
            yield Check("", "fires.health", "warning", text, fault.fix)
    for text in health.project_faults(machine, now, project):
        fix = "Until it is corrected or removed, your own limits hold there."
        yield Check("", "fires.project", "warning", text, fix)


def _messages(checks: list[Check]) -> Iterable[Message]:
    for check in checks:
        if check.level == "warning" or check.level == "error":  # noqa: PLR1714  # narrows the type
            harness, fix = check.harness or None, check.fix or None
            yield Message(check.level, check.check, check.message, harness, None, fix)


def _page(checks: list[Check], chosen: list[Harness], *, verbose: bool) -> Iterator[str]:
    """The summary first and last, in between what is to be done about it."""
    if not verbose and _is_not_set_up(checks, chosen):
        yield "The guard is not set up on this machine. Run `runaway setup`."
        return
    summary = _summary(checks)
    yield summary
    yield from _lines([one for one in checks if verbose or one.level != "ok"])
    yield from _overview(checks, chosen)
    yield summary


def _is_not_set_up(checks: list[Check], chosen: list[Harness]) -> bool:
    """No code, and no entry in any of these harnesses."""
    missing = [one.harness for one in checks if one.level == "error" and one.check in NOT_SET_UP]
    return set(missing) >= {"", *(harness.NAME for harness in chosen)}


def _summary(checks: list[Check]) -> str:
    """`1 problem, 2 warnings, 1 note.`"""
    levels = [check.level for check in checks]
    parts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for level, word in WORDS.items()
        if (count := levels.count(level))
    ]
    return (", ".join(parts) or "No problem found") + "."


def _lines(checks: list[Check]) -> Iterable[str]:
    """The worst first."""
    for check in sorted(checks, key=lambda check: ORDER.index(check.level)):
        name = f"{check.harness} " if check.harness else ""
        yield f"{MARKS[check.level]} {name}{check.check}: {check.message}"
        if check.fix and check.level != "ok":
            yield f"    {check.fix}"


def _overview(checks: list[Check], chosen: list[Harness]) -> Iterator[str]:
    """The four states of each harness at a glance, below the details: where a terminal stops."""
    width = max((len(harness.DISPLAY) for harness in chosen), default=0)
    if chosen:
        yield f"  {'':{width}}  " + "  ".join(STATES)
    for harness in chosen:
        own = [check for check in checks if _concerns(check, harness)]
        marks = "  ".join(f"{MARKS[_state(own, state)]:{len(state)}}" for state in STATES)
        yield f"  {harness.DISPLAY:{width}}  {marks}".rstrip()


def _concerns(check: Check, harness: Harness) -> bool:
    """Its own checks, and what is wrong on the whole machine: nothing works without that."""
    return check.harness == harness.NAME or (not check.harness and check.level == "error")


def _state(checks: list[Check], state: str) -> str:
    """The least reassuring level of all checks of a state; a drill proves that the guard fires."""
    levels = [check.level for check in checks if _state_of(check) == state]
    return min(levels, key=DOUBTS.index, default="skipped")


def _state_of(check: Check) -> str:
    state = check.check.partition(".")[0]
    return state if state in STATES else "fires"
