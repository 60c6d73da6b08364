"""Does Pi load the extension? Its settings and its folder of extensions may say no."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...machine import Machine
from . import paths

IGNORING = (".gitignore", ".ignore", ".fdignore")
INDEX = ("index.ts", "index.js")


def excluded_by(machine: Machine) -> str:
    """The entry of the setting `extensions` that switches the file off, "" where none does.

    `!` and a pattern exclude, `+` and a path include all the same, `-` and a path exclude for good.
    """
    entries = _json(paths.settings(machine)).get("extensions")
    listed = [one for one in entries if isinstance(one, str)] if isinstance(entries, list) else []
    found = ""
    for mark, matches in (("!", _matches), ("+", _is), ("-", _is)):
        for entry in listed:
            if entry.startswith(mark) and matches(machine, entry[1:]):
                found = "" if mark == "+" else entry
    return found


def _names(machine: Machine) -> tuple[str, str, str]:
    path = paths.extension(machine)
    return paths.EXTENSION, path.name, str(path)


def _matches(machine: Machine, pattern: str) -> bool:
    home = str(machine.home) + pattern[1:] if pattern.startswith("~/") else pattern
    return any(fnmatchcase(name, home) for name in _names(machine))


def _is(machine: Machine, entry: str) -> bool:
    relative, _, absolute = _names(machine)
    expanded = str(machine.home) + entry[1:] if entry.startswith("~/") else entry
    return expanded.removeprefix("./") in (relative, absolute)


def hidden_by(machine: Machine) -> Path | None:
    """The file in the folder of extensions that makes Pi pass over ours.

    With an index, or a package.json that names extensions, nothing else in it is loaded; what an ignore
    file names is not either.
    """
    folder = paths.extension(machine).parent
    manifest = folder / "package.json"
    listed = _json(manifest).get("pi")
    named = listed.get("extensions") if isinstance(listed, dict) else None
    if isinstance(named, list) and any((folder / str(one)).exists() for one in named):
        return manifest
    for path in (folder / name for name in INDEX):
        if path.exists():
            return path
    return next((path for name in IGNORING if _ignores(path := folder / name)), None)


def _ignores(path: Path) -> bool:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return False
    ignored = False
    for line in map(str.strip, lines):
        if fnmatchcase(Path(paths.EXTENSION).name, line.lstrip("!").removeprefix("/")):
            ignored = not line.startswith("!")
    return ignored


def _json(path: Path) -> dict[str, Any]:
    """What Pi takes from the file: nothing, where it cannot be parsed."""
    try:
        values = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
