"""Every CPython of this machine that may have to run the guard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from runaway.installer.interpreter import OLDEST, Interpreter, probe

NEWEST = 30  # of 3.x, looked for by name
FOLDERS = (  # where version managers keep them, below the home directory
    ".pyenv/versions/*/bin/python3",
    ".local/share/uv/python/*/bin/python3",
    ".asdf/installs/python/*/bin/python3",
    ".local/share/mise/installs/python/*/bin/python3",
)
FIXED = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")


@cache
def interpreters() -> tuple[Interpreter, ...]:
    """One of each version, the oldest first."""
    found: dict[tuple[int, int], Interpreter] = {}
    for path in _candidates():
        interpreter = probe(path)
        if interpreter and interpreter.version >= OLDEST and "cpython" in interpreter.tag:
            found.setdefault(interpreter.version, interpreter)
    return tuple(found[version] for version in sorted(found))


def _candidates() -> Iterator[Path]:
    names = ["python3", *(f"python3.{minor}" for minor in range(OLDEST[1], NEWEST))]
    for folder in (*FIXED, *os.environ.get("PATH", "").split(os.pathsep)):
        yield from (Path(folder, name) for name in names if Path(folder, name).is_file())
    for pattern in FOLDERS:
        yield from sorted(Path.home().glob(pattern))
