"""What Cursor wrote down itself: the log of hooks that its editor keeps, and the money it told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from ....guard.session import peek
from ... import launch_command
from ...durations import age
from ...machine import Machine
from ..base import Check
from . import paths

TAIL = 1 << 18  # bytes of a log that are looked at
NEWEST = 20  # session files
LOADED = "Loaded "
COMPLAINTS = (
    "Invalid user config",
    "Invalid project config",
    "Failed to parse",
    "Unknown hook type",
)


def checks(machine: Machine) -> Iterator[Check]:
    yield _log(machine)
    yield from _money(machine)


def _log(machine: Machine) -> Check:
    log = newest(machine)
    if log is None:
        message = "Cursor's editor has left no log of hooks on this machine."
        return Check(paths.NAME, "fires.log", "info", message, "Settings > Hooks shows them there.")
    lines = _tail(log)
    ago = age(time.time() - log.stat().st_mtime)
    complaint = complaint_in(lines)
    if complaint:
        message = f"Cursor's editor complained {ago} ago: {complaint[:300]}"
        return Check(paths.NAME, "fires.log", "error", message, f"See {machine.tilde(log)}.")
    if any(launch_command.may_name(line.encode(errors="replace")) for line in lines):
        message = f"Cursor's editor wrote the guard into its log of hooks, {ago} ago."
        return Check(paths.NAME, "fires.log", "ok", message)
    message = f"Cursor's editor wrote its log of hooks {ago} ago; the guard is not in it."
    return Check(paths.NAME, "fires.log", "info", message, f"See {machine.tilde(log)}.")


def newest(machine: Machine) -> Path | None:
    """The editor keeps one per start, window and workspace."""
    logs = paths.log_folder(machine).glob("*/**/*cursor.hooks*.log")
    return max(logs, key=lambda path: path.stat().st_mtime, default=None)


def complaint_in(lines: list[str]) -> str:
    """The last complaint, unless the files were loaded well after it."""
    for line in reversed(lines):
        if any(words in line for words in COMPLAINTS):
            return line
        if LOADED in line:
            return ""
    return ""


def _tail(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL))
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _money(machine: Machine) -> Iterator[Check]:
    """SPEND is honest only where Cursor tells tokens, which `cursor-agent -p` never does."""
    files = sorted(
        (machine.state / "sessions").glob(f"{paths.NAME}-*"),
        key=lambda path: path.stat().st_mtime,
        reverse=True,
    )[:NEWEST]
    told = sum(_has_money(path) for path in files)
    if files and not told:
        message = f"SPEND is unavailable: none of the last {len(files)} sessions told its tokens."
        fix = "`cursor-agent -p` never does; other rules work there all the same."
        yield Check(paths.NAME, "fires.spend", "info", message, fix)
    elif files:
        message = f"{told} of the last {len(files)} sessions told what they used."
        yield Check(paths.NAME, "fires.spend", "ok", message)


def _has_money(path: Path) -> bool:
    try:
        return bool(peek(str(path)).get("spend"))
    except (OSError, ValueError):
        return False
