"""The settings files of Claude Code as it reads them: their values, or why it drops one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ...machine import Machine
from .. import load
from ..load import Settings
from . import paths
from .validation import RULES, TOLERANT_SINCE, problems


def read(machine: Machine, scope: str, path: Path, *, ask: bool = True) -> Settings:
    """A missing file is an empty one; a file that is dropped as a whole has a problem.

    A release that is not known, and may not be asked, is taken for one that forgives much: better no
    word of a file that is dropped than a wrong one of a file that is not.
    """
    version = paths.version(machine, ask=ask) or (None if ask else TOLERANT_SINCE)
    known = partial(problems, version=version)
    return load.read_json(machine, scope, path, RULES, known)


def all_settings(machine: Machine, project: Path, *, ask: bool = True) -> tuple[Settings, ...]:
    """The user's, the project's and the local file, in the order of rising precedence."""
    by_scope = {scope: paths.settings_file(machine, scope, project) for scope in paths.SCOPES}
    distinct = {
        path: scope for scope, path in reversed(by_scope.items())
    }  # home may be the project
    return tuple(read(machine, distinct[path], path, ask=ask) for path in reversed(distinct))


def managed_settings(machine: Machine, *, ask: bool = True) -> tuple[Settings, ...]:
    folder = paths.managed_folder(machine)
    by_scope = [folder / "managed-settings.json", *sorted(folder.glob("managed-settings.d/*.json"))]
    return tuple(read(machine, "managed", path, ask=ask) for path in by_scope if path.exists())
