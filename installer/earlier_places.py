"""Where setup has put the guard's code before `XDG_DATA_HOME` was another one."""

from __future__ import annotations

import json
import stat
from contextlib import suppress
from pathlib import Path

from .errors import Refusal
from .files import private
from .harnesses.base import Check
from .machine import Machine

FILE = "places.json"  # ["/home/u/.local/share/runaway"] in our state folder
MAX_FILE_BYTES = 1 << 16
HEAD = b"# runaway"  # of every launcher that a release has written


def remember(machine: Machine) -> None:
    """Adds today's folder; no harm where that fails."""
    known = _known(machine)
    if str(machine.data) not in known:
        with suppress(OSError, Refusal):
            private.replace(machine.state / FILE, json.dumps([*known, str(machine.data)]).encode())


def found(machine: Machine) -> tuple[Path, ...]:
    """Those that still hold code of ours: the list alone is not believed."""
    places = (Path(name) for name in _known(machine))
    return tuple(one for one in places if one != machine.data and _is_ours(one))


def checks(machine: Machine) -> tuple[Check, ...]:
    return tuple(
        Check(
            "",
            "installed.earlier",
            "info",
            f"An earlier copy of the guard is in {machine.tilde(place)}.",
            "Today's entries do not use it; `runaway uninstall` removes it.",
        )
        for place in found(machine)
    )


def _known(machine: Machine) -> list[str]:
    try:
        names = json.loads(private.read(machine.state / FILE, MAX_FILE_BYTES))
    except (OSError, Refusal, ValueError, RecursionError):
        return []
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []


def _is_ours(place: Path) -> bool:
    """Absolute, reached by no link, and with a launcher and code as setup leaves them."""
    launcher = place / "launch"
    try:
        is_file = stat.S_ISREG(launcher.lstat().st_mode)
        straight = place.is_absolute() and place.resolve() == place
        return straight and is_file and (place / "guard").is_dir() and _starts_right(launcher)
    except (OSError, ValueError):
        return False


def _starts_right(launcher: Path) -> bool:
    with launcher.open("rb") as file:
        return file.read(len(HEAD)) == HEAD
