"""What keeps Pi from running our extension, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...machine import Machine
from .. import plugin_file, reported_cost
from ..base import Check, Level
from . import loading, paths

OPTION = "--no-extensions"


def checks(machine: Machine, _project: Path, *, ask: bool = True) -> Iterator[Check]:
    yield _installed(machine)
    yield _allowed(machine)
    effect = "Pi loads no extensions of its folders"
    yield from plugin_file.wrapper_check(paths.NAME, machine, "allowed.option", OPTION, effect)
    yield _check("trusted.consent", "ok", "Pi asks for no consent per extension of the user.")
    yield from reported_cost.checks(machine, paths.NAME, "Pi")


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _installed(machine: Machine) -> Check:
    path = paths.extension(machine)
    if path.exists():
        return plugin_file.entry_check(paths.NAME, "extension", machine, path)
    message = f"The guard's extension is not in {machine.tilde(path.parent)}."
    return _check("installed.entry", "error", message, plugin_file.setup_again(paths.NAME))


def _allowed(machine: Machine) -> Check:
    if entry := loading.excluded_by(machine):
        name = machine.tilde(paths.settings(machine))
        message = f"`{entry}` under `extensions` in {name} keeps Pi from loading the guard."
        return _check("allowed.disabled", "error", message, f"Remove `{entry}` from {name}.")
    if file := loading.hidden_by(machine):
        name = machine.tilde(file)
        message = f"Because of {name} Pi does not load the guard's extension beside it."
        return _check("allowed.folder", "error", message, f"Move {name} into a folder of its own.")
    message = (
        "Nothing keeps Pi from loading the guard's extension. "
        f"`pi {OPTION}` loads none, and nobody sees it from here."
    )
    return _check("allowed.disabled", "ok", message)
