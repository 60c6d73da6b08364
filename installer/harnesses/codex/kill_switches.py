"""Everything that keeps Codex from running any hook, or ours, whoever trusts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...machine import Machine
from .. import entry_checks, file_checks
from ..base import Check, Level
from ..entry_checks import Expected
from ..load import Settings
from . import paths
from .load import in_toml, read

SWITCHES = ("hooks", "codex_hooks")  # the second is its older name
MANAGED_ONLY = "allow_managed_hooks_only"
MOVED_BY = "CODEX_HOME"
EXPECTED = Expected(paths.NAME, "any hooks file of Codex", paths.NAME, paths.handler, paths.BOUND)
PROFILE = ".config.toml"  # ends the name of a profile's own file
SOCKET = "app-server-control/app-server-control.sock"


def silenced(
    machine: Machine, project: Path, files: tuple[Settings, ...], *, is_managed: bool
) -> Iterator[Check]:
    requirements = read(machine, "managed", paths.managed_folder(machine) / "requirements.toml")
    yield from _features(machine, (*files, requirements))
    if not is_managed and requirements.values.get(MANAGED_ONLY) is True:
        yield file_checks.managed_switch(paths.NAME, requirements.path, MANAGED_ONLY)
    yield from _profiles(machine)
    yield from _both(machine, files)
    yield from _project(machine, project, files)
    yield from _config_folder(machine)
    yield from _daemon(machine)


def _check(name: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, name, level, message, fix)


def _features(machine: Machine, files: tuple[Settings, ...]) -> Iterator[Check]:
    """Any of them may switch hooks off; Codex then lists none, without a word."""
    off = [
        (one.path, switch)
        for one in files
        for switch in SWITCHES
        if in_toml(one) and _features_of(one).get(switch) is False
    ]
    for path, switch in off:
        setting = f"features.{switch} = false"
        yield file_checks.switch(machine, paths.NAME, path, setting)
    if not off:
        yield file_checks.no_switch(paths.NAME)


def _profiles(machine: Machine) -> Iterator[Check]:
    """`codex --profile work` reads `work.config.toml`, and what `[profiles.work]` says, on top."""
    folder = paths.config_folder(machine)
    named = paths.values_of(folder / paths.CONFIG).get("profiles")
    inside = [
        (folder / paths.CONFIG, name, profile)
        for name, profile in (named.items() if isinstance(named, dict) else ())
        if isinstance(profile, dict)
    ]
    own = [
        (path, path.name.removesuffix(PROFILE), paths.values_of(path))
        for path in sorted(folder.glob(f"*{PROFILE}"))
    ]
    for path, name, values in (*inside, *own):
        features = values.get("features")
        off = [one for one in SWITCHES if isinstance(features, dict) and features.get(one) is False]
        if off:
            where = machine.tilde(path)
            message = (
                f"`features.{off[0]} = false` in {where}: `codex --profile {name}` runs no hook."
            )
            fix = f"Remove it from {where}, or start no unwatched run with that profile."
            yield _check("allowed.profile", "warning", message, fix)


def _features_of(one: Settings) -> dict[str, Any]:
    features = one.values.get("features")
    return features if isinstance(features, dict) else {}


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
    inside = [one for one in files if one.scope == "project"]
    found = entry_checks.placed(inside, EXPECTED)
    if found and not _is_trusted(machine, project):
        path = machine.tilde(found[0].settings.path)
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
    if machine.environ.get(MOVED_BY) and not active.is_dir():
        message = (
            f"{MOVED_BY} names {machine.tilde(active)}, which is no folder: Codex stops there."
        )
        yield _check("allowed.config-folder", "error", message, f"Make it, or unset {MOVED_BY}.")
    if Path(os.path.realpath(default)) != Path(os.path.realpath(active)):
        left = [read(machine, "user", default / name) for name in (paths.HOOKS, paths.CONFIG)]
        yield from file_checks.moved(machine, MOVED_BY, active, left, EXPECTED)


def _daemon(machine: Machine) -> Iterator[Check]:
    """It keeps the environment of its first start; the guard needs none, another hook may."""
    if (paths.config_folder(machine) / SOCKET).exists():
        message = "A daemon of Codex may be running: sessions that are open keep their old hooks."
        yield _check("allowed.daemon", "info", message, "New sessions read the hooks again.")
