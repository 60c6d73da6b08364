"""Everything that keeps Codex from running any hook, or ours, whoever trusts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...machine import Machine
from .. import hook_file
from ..base import Check, Level
from . import paths
from .load import Settings, read

OLDEST = (0, 130, 0)  # hooks with trust as described here were measured from this release on
SWITCHES = ("hooks", "codex_hooks")  # the second is its older name
SOCKET = "app-server-control/app-server-control.sock"


def silenced(
    machine: Machine, project: Path, files: tuple[Settings, ...], *, is_managed: bool
) -> Iterator[Check]:
    requirements = read(machine, "managed", paths.managed_folder(machine) / "requirements.toml")
    yield from _features(machine, (*files, requirements))
    if not is_managed:
        yield from _managed(requirements)
    yield from _release(machine)
    yield from _both(machine, files)
    yield from _project(machine, project, files)
    yield from _config_folder(machine)
    yield from _daemon(machine)


def _check(name: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, name, level, message, fix)


def _features(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Any of them may switch hooks off; Codex then lists none, without a word."""
    found = False
    for settings in files:
        features: Any = settings.values.get("features") if settings.in_toml else {}
        for switch in SWITCHES:
            if isinstance(features, dict) and features.get(switch) is False:
                found = True
                path = machine.tilde(settings.path)
                message = f"`{switch} = false` under [features] in {path} switches every hook off."
                yield _check("allowed.disabled", "error", message, f"Remove it from {path}.")
    if not found:
        yield _check("allowed.disabled", "ok", "No settings file disables hooks.")


def _managed(requirements: Settings) -> Iterator[Check]:
    if requirements.values.get("allow_managed_hooks_only") is True:
        message = f"{requirements.path} allows managed hooks only: users' hooks are never run."
        fix = "Ask whoever manages this machine."
        yield _check("allowed.managed", "error", message, fix)


def _release(machine: Machine) -> Iterator[Check]:
    known = paths.version(machine)
    if known is not None and known < OLDEST:
        name = ".".join(map(str, known))
        message = f"Codex {name} is older than all that the guard was tried with."
        yield _check("allowed.release", "warning", message, "Update Codex.")


def _both(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Both are read, and Codex complains at every start."""
    for settings in files:
        if settings.path.name != paths.CONFIG or not paths.keeps_hooks(settings.values):
            continue
        if any(one.path == settings.path.with_name(paths.HOOKS) and one.values for one in files):
            folder = machine.tilde(settings.path.parent)
            message = f"Hooks are kept both in hooks.json and in config.toml of {folder}."
            yield _check("allowed.both", "info", message, "Codex prefers one of the two.")


def _project(machine: Machine, project: Path, files: tuple[Settings, ...]) -> Iterator[Check]:
    """A project's settings count only where the person has trusted the project."""
    wired = [
        settings
        for settings in files
        if settings.scope == "project" and settings.document
        if any(hook_file.entries(settings.document, paths.NAME))
    ]
    if wired and not _is_trusted(machine, project):
        path = machine.tilde(wired[0].path)
        message = f"Codex reads no hooks in {path}: nobody has told it to trust that project."
        fix = "Start `codex` in the project and say yes."
        yield _check("allowed.project", "error", message, fix)


def _is_trusted(machine: Machine, project: Path) -> bool:
    """A project trusted as a whole is known by its own folder, or by one above it."""
    config = paths.values_of(paths.config_folder(machine) / paths.CONFIG)
    projects = config.get("projects")
    real = Path(os.path.realpath(project))
    return isinstance(projects, dict) and any(
        _level(projects.get(str(folder))) == "trusted" for folder in (real, *real.parents)
    )


def _level(project: Any) -> object:
    return project.get("trust_level") if isinstance(project, dict) else None


def _config_folder(machine: Machine) -> Iterator[Check]:
    active, default = paths.config_folder(machine), paths.default_folder(machine)
    if machine.environ.get("CODEX_HOME") and not active.is_dir():
        message = (
            f"CODEX_HOME names {machine.tilde(active)}, which is no folder: Codex stops there."
        )
        yield _check("allowed.config-folder", "error", message, "Make it, or unset CODEX_HOME.")
    if Path(os.path.realpath(default)) == Path(os.path.realpath(active)):
        return
    for name in (paths.HOOKS, paths.CONFIG):
        orphan = read(machine, "user", default / name)
        if orphan.document and any(hook_file.entries(orphan.document, paths.NAME)):
            message = (
                f"CODEX_HOME points to {machine.tilde(active)}; the entry in "
                f"{machine.tilde(orphan.path)} is not read now."
            )
            yield _check("allowed.config-folder", "info", message)


def _daemon(machine: Machine) -> Iterator[Check]:
    """It keeps the environment of its first start; the guard needs none, another hook may."""
    if (paths.config_folder(machine) / SOCKET).exists():
        message = "A daemon of Codex may be running: sessions that are open keep their old hooks."
        yield _check("allowed.daemon", "info", message, "New sessions read the hooks again.")
