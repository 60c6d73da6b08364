"""The settings files of Claude Code as it reads them: their values, or why it drops one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...documents.json_document import Document
from ...machine import Machine
from .. import load
from . import paths
from .validation import RULES, problems


class Settings(NamedTuple):
    """One settings file: its values where Claude Code reads it, else why it does not."""

    scope: str
    path: Path
    document: Document | None
    problem: str

    @property
    def values(self) -> dict[str, Any]:
        values = self.document.value if self.document and not self.problem else {}
        return values if isinstance(values, dict) else {}


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one; a file that is dropped as a whole has a problem."""
    known = partial(problems, version=paths.version(machine))
    return Settings(scope, path, *load.load(path, machine.tilde(path), RULES, known))


def all_settings(machine: Machine, project: Path) -> tuple[Settings, ...]:
    """The user's, the project's and the local file, in the order of rising precedence."""
    by_scope = {scope: paths.settings_file(machine, scope, project) for scope in paths.SCOPES}
    distinct = {
        path: scope for scope, path in reversed(by_scope.items())
    }  # home may be the project
    return tuple(read(machine, distinct[path], path) for path in reversed(distinct))


def managed_settings(machine: Machine) -> tuple[Settings, ...]:
    folder = paths.managed_folder(machine)
    by_scope = [folder / "managed-settings.json", *sorted(folder.glob("managed-settings.d/*.json"))]
    return tuple(read(machine, "managed", path) for path in by_scope if path.exists())
