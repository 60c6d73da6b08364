"""Which folders Gemini CLI trusts: in all others no hook runs, the user's neither."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...documents import json_document
from ...errors import Refusal
from ...machine import Machine
from ..base import Check, Level
from . import paths
from .validation import RULES

FORBIDDING = (("GEMINI_RESTRICTED_MODE", "true"), ("GEMINI_CLI_TRUST_WORKSPACE", "false"))
ALLOWING = ("GEMINI_CLI_TRUST_WORKSPACE", "true")
TRUST, TRUST_PARENT, FORBID = "TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"
FIX = "Start `gemini` there and trust the folder, or run `/permissions` in it."


def checks(
    machine: Machine, project: Path, settings: Sequence[Mapping[str, Any]]
) -> Iterator[Check]:
    """`settings` are those of the files, of rising precedence; a project's own decide nothing here."""
    for name, value in FORBIDDING:
        if machine.environ.get(name) == value:
            yield _check("error", f"{name}={value}: Gemini CLI runs no hooks.", f"Unset {name}.")
            return
    if machine.environ.get(ALLOWING[0]) == ALLOWING[1]:
        yield _check("ok", f"{ALLOWING[0]} is set: every folder is trusted.")
    elif not _enabled(settings):
        yield _check("ok", "Gemini CLI is told to trust every folder.")
    else:
        yield from _by_rules(machine, project)


def _check(level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, "trusted.folder", level, message, fix)


def _enabled(settings: Sequence[Mapping[str, Any]]) -> bool:
    enabled = True
    for values in settings:
        security = values.get("security")
        folders = security.get("folderTrust") if isinstance(security, dict) else None
        if isinstance(folders, dict) and isinstance(folders.get("enabled"), bool):
            enabled = folders["enabled"]
    return enabled


def _by_rules(machine: Machine, project: Path) -> Iterator[Check]:
    path, here = paths.trusted_folders(machine), machine.tilde(project)
    try:
        rules = json_document.parse(path.read_bytes(), RULES, machine.tilde(path)).value
    except FileNotFoundError:
        rules = {}
    except (OSError, Refusal) as error:
        text = error.text if isinstance(error, Refusal) else f"{machine.tilde(path)}: {error}"
        yield _check("error", f"Gemini CLI does not start: {text}", "Correct the file.")
        return
    decided = decision(rules if isinstance(rules, dict) else {}, project)
    if decided is None:
        message = f"Gemini CLI has not been told whether to trust {here}: until then no hook runs."
        yield _check("info", message, FIX)
    elif decided:
        yield _check("ok", f"Gemini CLI trusts {here}.")
    else:
        message = f"Gemini CLI was told not to trust {here}: it works there without any hook."
        yield _check("error", message, FIX)


def decision(rules: Mapping[str, Any], folder: Path) -> bool | None:
    """The rule with the longest path that is above the folder decides; None where there is none."""
    longest, decided = -1, None
    for named, level in rules.items():
        above = Path(named).parent if level == TRUST_PARENT else Path(named)
        if folder.resolve().is_relative_to(above.resolve()) and len(named) > longest:
            longest, decided = len(named), level
    return {TRUST: True, TRUST_PARENT: True, FORBID: False}.get(str(decided))
