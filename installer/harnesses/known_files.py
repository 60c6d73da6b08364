"""Which files are a harness's own: the only ones of which a receipt or a backup is believed.

Receipts and backups lie where any program of the user's could have put them, so a path in one counts
only if the harness keeps settings there, and what is done to the file follows from its bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .. import launch_command
from ..machine import Machine
from ..plan import Target
from .base import Harness
from .registry import HARNESSES

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def is_of_another_home(machine: Machine, path: Path) -> bool:
    """Do the entries in the file name launchers, and none that is ours or lies in our home?"""
    found = launchers_in(path)
    ours = {one for one in found if one in (machine.launcher, launch_command.ANY_HOME)}
    ours |= {one for one in found if machine.home in one.parents}
    return bool(found) and not ours


def launchers_in(path: Path) -> set[Path]:
    """Those that a settings file or a plugin names; none of one that cannot be read."""
    try:
        return set(_launchers(path.read_bytes() if path.is_file() else b""))
    except OSError:
        return set()


def _launchers(data: bytes) -> Iterator[Path]:
    """Of commands as settings hold them, and on their own as in a plugin."""
    for value in _strings(data):
        registered = launch_command.parse(value)
        if registered or launch_command.is_launcher(Path(value)):
            yield registered.launcher if registered else Path(value)


def _strings(data: bytes) -> Iterator[str]:
    """All JSON strings in it that may name the launcher."""
    text = data.replace(b"\0", b"").decode("utf-8", "replace")  # UTF-16 too
    for literal in _STRING.findall(text):
        if launch_command.LAUNCHER_NAME in literal:
            with suppress(ValueError):
                yield json.loads(literal)


def changed_commands(data: bytes) -> list[str]:
    """Commands in a file that start our launcher in a form that no setup has written."""
    return [value for value in _strings(data) if launch_command.is_changed(value)]


def targets_at(machine: Machine, path: Path, *, moved: bool = True) -> Iterator[Target]:
    """How each harness that keeps settings at `path` edits them; `moved` as in `scope_of`."""
    for harness in HARNESSES.values():
        scope = scope_of(harness, machine, path, moved=moved)
        if scope is not None:
            yield harness.edit_target(machine, scope, path)


def scope_of(
    harness: Harness, machine: Machine, path: Path, told: str = "", *, moved: bool = True
) -> str | None:
    """The scope of the harness's settings at `path`, None where it keeps none; first that `told`.

    A project may be any folder above. With `moved` the variable that moves the user's settings may
    have named any of them, as it may have been another one when the file was written.
    """
    found = [
        scope
        for folder in path.parents
        for scope, place in _places(harness, machine, folder, moved)
        if place == path
    ]
    return told if told in found else next(iter(found), None)


def _places(
    harness: Harness, machine: Machine, folder: Path, moved: bool
) -> Iterator[tuple[str, Path]]:
    """Its files, were this folder the project, and the one that the variable names."""
    if moved and harness.MOVED_BY:
        environ = {**machine.environ, harness.MOVED_BY: str(folder)}
        machine = machine._replace(environ=environ)
    kinds = [scope for scope in harness.SCOPES if (scope == "managed") is machine.shared]
    places = [(scope, harness.path(machine, scope, folder)) for scope in kinds]
    places += [(kinds[0], other) for other in harness.legacy_paths(machine) if kinds]
    names = {place.name for _, place in places}  # Codex has two files in one folder
    yield from ((scope, place.with_name(name)) for scope, place in places for name in names)
