"""Our own files on a machine: what setup has put in, and what has become the person's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from . import deploy, earlier_places
from .files import backups
from .harnesses import kept_backups, release
from .machine import Machine

YOURS = "it is yours; `runaway uninstall --purge` takes it too"
NEEDED = "for files that are not exactly what they were before setup"
CODE = ("guard", "policy.json")  # in the folder of the launcher
REMEMBERED = (release.FILE, earlier_places.FILE)  # in the state folder, of use to setup alone
UNNAMED = ("lock", "receipts")  # of no use to anybody: they go with the last of the others


class Own(NamedTuple):
    """Files and folders that go, and those that stay, with the reason."""

    removed: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    why: str = YOURS


def of(machine: Machine) -> Own:
    """Code and compiled policy go; the policy as edited, what was spent, and backups stay."""
    places = (machine.data, *earlier_places.found(machine))
    code = tuple(place / name for place in places for name in CODE)
    code += tuple(machine.state / name for name in REMEMBERED)
    state = (path for path in sorted(machine.state.glob("*")) if path.name not in UNNAMED)
    kept = (machine.config_file, *(path for path in state if path not in code))
    return Own(_there(machine, code), _there(machine, kept))


def purged(machine: Machine) -> Own:
    """Everything goes but backups that are needed to give a file back."""
    usual, place = of(machine), machine.state / "backups"
    needed = (place,) if kept_backups.needed(machine) else ()
    gone = (*usual.removed, *usual.kept, *_there(machine, deploy.health_logs(machine)))
    removed = tuple(path for path in dict.fromkeys(gone) if path not in needed)
    return Own(removed, needed, NEEDED)


def _there(machine: Machine, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """On macOS our folders are one and the same, where a launcher stays."""
    return tuple(path for path in paths if path != machine.launcher and os.path.lexists(path))


def remove(machine: Machine, own: Own) -> None:
    """A launcher that says nothing stays in place of the code."""
    if own.removed:
        for place in (*earlier_places.found(machine), machine.data):
            deploy.remove_code(machine._replace(data=place))
    if own.why == NEEDED:
        backups.prune(machine.state, keep=kept_backups.needed(machine))
    for path in own.removed:
        _remove(path)
    _tidy(machine)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _tidy(machine: Machine) -> None:
    """Empty folders of ours."""
    left = {path for path in machine.state.glob("*") if path != machine.launcher}
    receipts = machine.state / "receipts"
    if {path.name for path in left} <= set(UNNAMED) and not any(receipts.glob("*")):
        for path in left:
            _remove(path)
    for folder in (machine.config, machine.state):
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()
