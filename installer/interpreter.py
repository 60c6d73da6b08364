"""Which Python runs the guard: a real one that outlives this tool's own environment, never a shim."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .errors import Refusal
from .machine import Machine

OLDEST = (3, 9)
# Un-versioned names first: they survive an upgrade of Python, Homebrew's Cellar paths do not.
WELL_KNOWN = ("/usr/bin/python3", "/opt/homebrew/bin/python3", "/usr/local/bin/python3")
PROBE = (
    "import sys; print('%d.%d' % sys.version_info[:2]); "
    "print(sys.implementation.cache_tag); print(getattr(sys, '_base_executable', '') or sys.executable)"
)
PROBE_SECONDS = 10


class Interpreter(NamedTuple):
    """An absolute path, its version as (major, minor) and its bytecode tag such as `cpython-311`."""

    path: Path
    version: tuple[int, int]
    tag: str


def choose(machine: Machine) -> Interpreter:
    """The first candidate that is a real Python of at least 3.9; Refusal when there is none.

    For a guard that serves all users of the machine it is one that all may run and its owner changes.
    """
    for candidate in _candidates(machine):
        found = probe(candidate)
        if found and found.version >= OLDEST and (not machine.shared or _is_for_all(found.path)):
            return found
    raise Refusal(
        "No Python 3.9 or newer was found that could run the guard.",
        code="no-interpreter",
        fix="Install Python 3 as a system package, then run `runaway setup` again.",
    )


def _candidates(machine: Machine) -> Iterator[Path]:
    for name in WELL_KNOWN:
        if not _is_apple_stub(Path(name)):
            yield Path(name)
    yield Path(getattr(sys, "_base_executable", "") or sys.executable)
    on_path = machine.program("python3")
    if on_path:
        yield on_path


def _is_for_all(path: Path) -> bool:
    real = path.resolve()
    of_the_owner = real.stat().st_uid in (0, os.geteuid()) and not real.stat().st_mode & 0o022
    return of_the_owner and all(folder.stat().st_mode & 0o001 for folder in real.parents)


def _is_apple_stub(path: Path) -> bool:
    """Without the Command Line Tools macOS has a stand-in here that opens an installer window."""
    tools = Path("/Library/Developer/CommandLineTools/usr/bin/python3")
    return sys.platform == "darwin" and path == Path("/usr/bin/python3") and not tools.exists()


def probe(path: Path) -> Interpreter | None:
    """Ask a Python for its version and its real place; None when it does not answer."""
    if not path.is_file():
        return None
    try:
        answer = subprocess.run(
            [str(path), "-I", "-S", "-c", PROBE],
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            check=True,
        ).stdout.splitlines()
        major, minor = answer[0].split(".")
        version, tag = (int(major), int(minor)), answer[1]
        real = Path(answer[2])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None
    stays = path if path.is_absolute() and str(path) in WELL_KNOWN else real
    return Interpreter(stays, version, tag) if "shims" not in stays.parts else None
