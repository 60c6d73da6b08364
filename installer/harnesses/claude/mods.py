"""Mods: plugins whose functions run inside Claude Code, before any hook of a settings file.

One that takes `classic.PreToolUse` keeps every entry from running, and no settings file tells of it
(measured with 2.1.332). Which events a mod takes is read from its text; nothing of it is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...files import small
from ...machine import Machine
from ..base import Check, Level
from . import paths

SINCE = (2, 1, 287)
MODULES = "hooks/hooks.json"  # {"modules": ["./register.js"]}
INSTALLED = "plugins/installed_plugins.json"
MAX_MODS = 500  # folders
MAX_MODULE_BYTES = 1 << 24  # bytes
TAKEN = re.compile(r"""["'`](classic\.(?:\w+|\*)|tool\.check|tool\.call)["'`]""")
DECIDING = tuple(f"classic.{event}" for event in paths.DECIDING)


class Mod(NamedTuple):
    """A folder, and those of its events that come before our hook."""

    folder: Path
    events: tuple[str, ...]

    @property
    def silences(self) -> bool:
        """May it keep the guard from running?"""
        return bool({*DECIDING, "classic.*"}.intersection(self.events))


def checks(machine: Machine, project: Path, *, ask: bool) -> Iterator[Check]:
    """Every mod in the chain, by name; silent where no release on this machine runs mods."""
    known = [one.version for one in paths.find_clients(machine, ask=ask) if one.version]
    if known and max(known) < SINCE:
        return
    for mod in found(machine, project):
        level: Level = "error" if mod.silences else "warning"
        what = "can keep the guard from running" if mod.silences else "runs before each call"
        name = machine.tilde(mod.folder)
        text = f"The mod in {name} {what}: it takes {', '.join(mod.events)}."
        fix = f"Look at it (`claude plugin validate {name}`); to be guarded, remove that folder."
        yield Check(paths.NAME, "allowed.mods", level, text, fix)


def found(machine: Machine, project: Path) -> Iterator[Mod]:
    for folder in list(dict.fromkeys(_folders(machine, project)))[:MAX_MODS]:
        events = tuple(dict.fromkeys(_events(folder)))
        if events:
            yield Mod(folder, events)


def _folders(machine: Machine, project: Path) -> Iterator[Path]:
    """Below `skills` without any entry elsewhere, and the plugins that were installed."""
    config = paths.config_folder(machine)
    for base in (config, project / ".claude"):
        yield from sorted(base.glob("skills/*"))
    yield from _installed(small.json_object(config / INSTALLED))


def _installed(value: object) -> Iterator[Path]:
    """`installPath`, wherever it stands in the list."""
    if isinstance(value, dict):
        place = value.get("installPath")
        if isinstance(place, str) and Path(place).is_absolute():
            yield Path(place)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        yield from _installed(one)


def _events(folder: Path) -> Iterator[str]:
    modules = small.json_object(folder / MODULES).get("modules")
    for name in modules if isinstance(modules, list) else ():
        if isinstance(name, str):
            yield from TAKEN.findall(small.text(folder / "hooks" / name, MAX_MODULE_BYTES))
