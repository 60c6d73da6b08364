"""What the guard wrote down of its own faults, and of project files that it could not use."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..guard.policy import PROJECT_FILE, Policy, tighten
from . import deploy, records
from .harnesses.base import Check
from .machine import Machine
from .result import Message

RECENT = 7 * 86400  # seconds: older faults are past
YOURS = "Make it a folder that you can write to."
SPACE = "Free some space on that disk."
REMEDIES = {
    errno.ENOSPC: SPACE,
    errno.EDQUOT: SPACE,
    errno.EROFS: "Make that file system writable.",
    errno.ENOTDIR: "Move away the file that is in its place.",
}
OF_THE_SYSTEM = re.compile(r"\[Errno \d+\]|no space|read-only", re.IGNORECASE)


class Fault(NamedTuple):
    """One line of a health log; `when` is None where the line does not tell."""

    when: float | None
    what: str
    log: Path

    @property
    def fix(self) -> str:
        """A disk that was full, or a folder that nobody might write to, is nothing to report."""
        over = f"delete {self.log}."
        if OF_THE_SYSTEM.search(self.what):
            return f"Fix that, then {over}"
        return f"Please report it, then {over}"


def faults(machine: Machine, now: float) -> tuple[Fault, ...]:
    """The guard's own, of the last days; in each log the oldest first."""
    return tuple(one for one in _recent(machine, now) if _project_file(one) is None)


def project_faults(machine: Machine, now: float, folder: Path) -> tuple[str, ...]:
    """`FILE is invalid: REASON` of each project's file that still is, those in `folder` among them."""
    told = dict.fromkeys(_project_file(one) for one in _recent(machine, now))
    files = dict.fromkeys([file for file in told if file] + [f"{folder}{PROJECT_FILE}"])
    return tuple(text for file in files for text in _invalid(file))


def _invalid(file: str) -> list[str]:
    try:
        tighten(Policy({}, ""), file.removesuffix(PROJECT_FILE))
    except Exception as error:  # noqa: BLE001  # what the guard ignores, whatever it is
        return [f"{file} is invalid: {error}"]
    return []


def _project_file(fault: Fault) -> str | None:
    _, _, told = fault.what.partition(f" {PROJECT_FILE[1:]} ")
    file, invalid, _ = told.rpartition(" is invalid: ")
    return file if invalid and file.endswith(PROJECT_FILE) else None


def _recent(machine: Machine, now: float) -> list[Fault]:
    found = [_fault(log, line) for log in deploy.health_logs(machine) for line in _lines(log)]
    return [one for one in found if one.when is None or now - one.when < RECENT]


def _fault(log: Path, line: str) -> Fault:
    when, _, what = line.partition(" ")
    try:
        return Fault(float(int(when)), what, log)
    except (ValueError, OverflowError):  # a torn line
        return Fault(None, line, log)


def unreadable(machine: Machine) -> tuple[Message, ...]:
    """A warning per log that cannot be read."""
    return tuple(problem for log in deploy.health_logs(machine) for problem in _read(log)[1])


def _lines(log: Path) -> list[str]:
    return _read(log)[0]


def _read(log: Path) -> tuple[list[str], tuple[Message, ...]]:
    try:
        return [line.decode("utf-8", "replace") for line in records.tail(log) if line.strip()], ()
    except OSError as error:
        return [], (records.unreadable(log, error),)


def state_problem(machine: Machine) -> Check | None:
    """Why the guard can keep nothing in its state folder, and what heals it."""
    for folder in (machine.state, machine.state / "sessions", machine.state / "ledger"):
        try:
            with tempfile.TemporaryFile(dir=_existing(folder)) as file:
                file.write(bytes(4096))
        except OSError as error:
            why = f"{machine.tilde(folder)}: {error.strerror}"
            text = f"The guard can remember nothing, and count no call. {why}."
            return Check("", "fires.state", "error", text, REMEDIES.get(error.errno or 0, YOURS))
    return None


def _existing(folder: Path) -> Path:
    """The folder, or that in which it would be made."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return folder
