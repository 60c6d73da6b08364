"""What the drills of all harnesses have in common: the program on PATH, and a report as a check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Refusal
from ..machine import Machine
from ..sessions import leave_out
from .base import Check, Progress

if TYPE_CHECKING:  # a drill brings a web server with it
    from ..drill.outcome import DrillReport


def drill_check(
    machine: Machine, name: str, display: str, run: Callable[[Path], DrillReport]
) -> tuple[Check, ...]:
    """`run` starts the program that it is given; its session is not shown afterwards."""
    program = machine.program(name)
    if program is None:
        message = f"`{name}` is not on PATH, so there is nothing to drill."
        return (Check(name, "drill", "skipped", message),)
    try:
        report = run(program)
    except Refusal as refusal:
        return (Check(name, "drill", "skipped", refusal.text, refusal.fix),)
    leave_out(machine, report.session)
    return (Check(name, "drill", report.level, f"The real {display}: {report.message}."),)


def counting(progress: Progress) -> Callable[[int], None]:
    """Tells how many requests the model has had."""
    return lambda number: progress(f"  request {number}")
