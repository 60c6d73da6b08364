"""What keeps OpenCode from running our plugin, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...machine import Machine
from .. import plugin_file, reported_cost
from ..base import Check, Level
from . import paths, plugin

PURE = "OPENCODE_PURE"
ON = ("1", "true", "yes", "on", "y")  # with anything else but their opposites it does not start


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    loaded = _plugins(machine, project)
    yield from _installed(machine, loaded)
    yield from _out_of_project(machine, project)
    yield _pure(machine)
    effect = "OpenCode loads no plugins"
    yield from plugin_file.wrapper_check(paths.NAME, machine, "allowed.pure", "--pure", effect)
    yield _start(machine, project)
    yield _check("trusted.consent", "ok", "OpenCode asks for no consent per plugin.")
    yield from reported_cost.checks(machine, paths.NAME, "OpenCode")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _plugins(machine: Machine, project: Path) -> tuple[Path, ...]:
    """Every file by our name that OpenCode loads."""
    folders = paths.folders(machine, project)
    files = [folder / name / plugin.FILE for folder in folders for name in paths.FOLDERS]
    return tuple(path for path in files if path.exists())


def _installed(machine: Machine, loaded: tuple[Path, ...]) -> Iterator[Check]:
    for path in loaded:
        yield plugin_file.entry_check(paths.NAME, "plugin", machine, path)
    if not loaded:
        message = "The guard's plugin is in no folder that OpenCode reads."
        yield _check("installed.entry", "error", message, plugin_file.setup_again(paths.NAME))
    elif len(loaded) > 1:
        message = (
            f"OpenCode loads the plugin from {len(loaded)} places: each call is counted once, "
            "but each run takes its time."
        )
        fix = f"Keep one of: {', '.join(machine.tilde(path) for path in loaded)}."
        yield _check("installed.once", "warning", message, fix)


def _out_of_project(machine: Machine, project: Path) -> Iterator[Check]:
    path = paths.plugin_file(machine, "project", project)
    if machine.variable(paths.NO_PROJECT) and path.exists():
        name = machine.tilde(path)
        message = f"{paths.NO_PROJECT} is set: OpenCode does not load {name}."
        fix = "Unset it, or use the scope `user`."
        yield _check("allowed.project", "error", message, fix)


def _pure(machine: Machine) -> Check:
    if machine.environ.get(PURE) in ON:
        message = f"{PURE} is set: OpenCode loads no plugins."
        return _check("allowed.pure", "error", message, f"Unset {PURE}.")
    message = (
        f"{PURE} is not set. `opencode --pure` loads no plugins, and nobody sees it from here."
    )
    return _check("allowed.pure", "ok", message)


def _start(machine: Machine, project: Path) -> Check:
    slow = [path for path in paths.folders(machine, project) if paths.starts_slowly(path)]
    if not slow:
        return _check("allowed.start", "ok", "OpenCode starts without waiting for npm.")
    where = ", ".join(map(machine.tilde, slow))
    message = (
        f"With any plugin, OpenCode's next start waits until npm has put {paths.LIBRARY} into "
        f"{where}; without network for more than a minute. Then it goes on, guarded."
    )
    return _check("allowed.start", "info", message, "Start OpenCode once while there is network.")
