"""A quick look whether the guard can be started at all, for commands that start nothing themselves."""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from ..guard import __version__
from . import managed_scope
from .deploy import launcher_for
from .harnesses.base import Check
from .launch_command import quote
from .machine import Machine


def can_start(machine: Machine) -> bool:
    """Does the launcher lead to code and a Python that are there? Starts and compares nothing else."""
    text = _text(machine.launcher)
    for folder in _folders(machine.data / "guard"):
        head, tail = _around_python(machine, folder)
        is_of_this_version = folder.name.startswith(f"{__version__}-")
        if f"code={quote(str(folder))}\n" not in text or not _holds_program(folder):
            continue
        if not is_of_this_version:  # the launcher of another version reads otherwise
            return True
        python = text.removeprefix(head).removesuffix(tail)
        return text == head + python + tail and _has_python(python)
    return False


def deployed_version(machine: Machine) -> str | None:
    """Of the guard that the launcher starts, by the name of its folder; None where none is known."""
    text = _text(machine.launcher)
    for folder in _folders(machine.data / "guard"):
        if f"code={quote(str(folder))}\n" in text:
            return folder.name.rpartition("-")[0] or None
    return None


def outdated(machine: Machine) -> Check | None:
    """The guard of another version works by that version's rules: told apart from changed bytes."""
    version = deployed_version(machine)
    if version in (None, __version__) or not can_start(machine):
        return None
    text = f"The guard that runs is of runaway {version}; this is runaway {__version__}."
    fix = managed_scope.RERUN if machine.shared else "Run `runaway setup --refresh`."
    return Check("", "installed.version", "warning", text, fix)


def _text(launcher: Path) -> str:
    """ "" for what is no file of ours."""
    try:
        is_file = stat.S_ISREG(launcher.lstat().st_mode)
        return launcher.read_bytes().decode(errors="surrogateescape") if is_file else ""
    except OSError:
        return ""


def _folders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []


def _around_python(machine: Machine, code: Path) -> tuple[str, str]:
    """The launcher before and behind the path of the interpreter."""
    hole = "\0"
    head, _, tail = launcher_for(machine, code, hole).partition(hole)
    return head, tail


def _holds_program(code: Path) -> bool:
    return any((code / name).is_file() for name in ("guard.pyc", "run.py"))


def _has_python(quoted: str) -> bool:
    try:
        candidates = [*shlex.split(quoted), "/usr/bin/python3"]
    except ValueError:
        return False
    return any(os.access(python, os.X_OK) for python in candidates)
