"""The drill of a harness as a check: its real program against a model server on loopback.

The only import that waits is here: a drill brings a web server with it, which no start may pay for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ...guard.words import MARKER
from ..errors import Refusal
from ..machine import Machine
from ..sessions import leave_out
from .base import Check, Harness, Progress


def drill(
    harness: Harness, machine: Machine, project: Path | None, progress: Progress
) -> tuple[Check, ...]:
    """Is a looping model stopped? The session of the drill is not shown afterwards."""
    name, program = harness.NAME, machine.program(harness.NAME)
    if harness.NO_DRILL:
        return (Check(name, "drill", "skipped", *harness.NO_DRILL),)
    if program is None:
        message = f"`{name}` is not on PATH, so there is nothing to drill."
        return (Check(name, "drill", "skipped", message),)
    run = import_module(f".{name}.drill", __package__)
    try:
        report = run.drill(
            program,
            MARKER,
            environment=machine.environ,
            project=project,
            on_progress=counting(progress),
            **run.places(machine),
        )
    except Refusal as refusal:
        return (Check(name, "drill", "skipped", refusal.text, refusal.fix),)
    leave_out(machine, report.session)
    return (Check(name, "drill", report.level, f"The real {harness.DISPLAY}: {report.message}."),)


def counting(progress: Progress) -> Callable[[int], None]:
    """Tells how many requests the model has had."""
    return lambda number: progress(f"  request {number}")
