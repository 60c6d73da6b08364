"""The doctor on whole files: one that the harness drops, a switch in it, one that it reads no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..machine import Machine
from . import entry_checks
from .base import Check, Level
from .entry_checks import Expected
from .load import Settings

ASK_THE_OWNER = "Ask whoever manages this machine."
CORRECT = "Correct the file at that place."


def is_of_project(one: Settings) -> bool:
    """Does it count in one project only?"""
    return one.scope in ("project", "local")


def reaches_beyond(one: Settings) -> bool:
    """Does it count wherever the harness runs?"""
    return not is_of_project(one)


def dropped(
    machine: Machine,
    harness: str,
    files: Iterable[Settings],
    effect: str,
    hurts: Callable[[Settings], bool] = reaches_beyond,
) -> Iterator[Check]:
    """`effect`: what the harness does with such a file, up to its name. A file of ours always `hurts`."""
    for one in files:
        if one.problem:
            level: Level = "error" if hurts(one) or entry_checks.may_hold_ours(one) else "warning"
            name = machine.tilde(one.path)
            problem = one.problem.removeprefix(f"{name}: ").rstrip(".")
            message = f"{effect} {name}: {problem}."
            yield Check(harness, "allowed.file", level, message, one.fix or CORRECT)


def switch(
    machine: Machine, harness: str, path: Path, switch: str, what: str = "every hook"
) -> Check:
    """A switch in a file that a person may change."""
    name = machine.tilde(path)
    message = f"`{switch}` in {name} switches {what} off."
    return Check(harness, "allowed.disabled", "error", message, f"Remove `{switch}` from {name}.")


def managed_switch(harness: str, path: Path, switch: str, what: str = "users' hooks") -> Check:
    """A switch in a file of whoever manages this machine."""
    message = f"`{switch}` in {path} of your organisation silences {what}."
    return Check(harness, "allowed.managed", "error", message, ASK_THE_OWNER)


def no_switch(harness: str) -> Check:
    return Check(harness, "allowed.disabled", "ok", "No settings file disables hooks.")


def moved(
    machine: Machine, variable: str, folder: Path, left: Iterable[Settings], expected: Expected
) -> Iterator[Check]:
    """`left`: files that were read before `variable` moved the settings to `folder`."""
    for one in left:
        if one.path.parent != folder and any(entry_checks.entries(one, expected)):
            message = (
                f"{variable} moves the settings to {machine.tilde(folder)}; the entry in "
                f"{machine.tilde(one.path)} is not read now."
            )
            yield Check(expected.harness, "allowed.config-folder", "info", message)


def no_consent(harness: str, display: str) -> Check:
    return Check(harness, "trusted.consent", "ok", f"{display} asks for no consent per hook.")
