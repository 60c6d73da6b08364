"""The `env` blocks of Claude Code's settings, which hooks and tools get, and a PATH there that harms."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...machine import Machine, program_in
from ..base import Check
from ..load import Settings
from . import paths

IN_FOLDERS = ("project", "local")  # scopes of files that whoever wrote the project may have written
NEEDED = ("sh", "env")  # one stands for /bin, the other for /usr/bin


def of_hooks(files: Iterable[Settings]) -> dict[str, str]:
    """What `files`, of rising precedence, add to the environment of a hook that the doctor runs.

    Of a project it is PATH alone: other variables (LD_PRELOAD) would run a program of the project.
    """
    merged: dict[str, str] = {}
    for settings in files:
        own = settings.scope not in IN_FOLDERS
        block = _block(settings).items()
        merged |= {name: value for name, value in block if own or name == "PATH"}
    return merged


def _block(settings: Settings) -> dict[str, str]:
    """Those variables that can be handed to a program."""
    block = settings.values.get("env")
    items = block.items() if isinstance(block, dict) else ()
    return {name: value for name, value in items if _is_usable(name) and _is_usable(value)}


def _is_usable(text: object) -> bool:
    try:
        return isinstance(text, str) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def search_path(files: Iterable[Settings]) -> tuple[Settings, str] | None:
    """The PATH that counts, and the file that sets it."""
    setting = [(one, _block(one)["PATH"]) for one in files if "PATH" in _block(one)]
    return setting[-1] if setting else None


def harm(path: str) -> str:
    """What is wrong with this PATH, as the end of a sentence; "" where nothing is."""
    for folder in path.split(os.pathsep):
        if "$" in folder or folder.startswith("~"):
            return f"holds `{folder}` as it stands: Claude Code replaces neither variables nor `~`"
        if not Path(folder).is_absolute():
            return f"holds `{folder or '.'}`, a place in whatever folder the agent is at work in"
    missing = [name for name in NEEDED if program_in(path, name) is None]
    return f"leads to no `{missing[0]}`: /usr/bin and /bin belong into it" if missing else ""


def checks(machine: Machine, files: Iterable[Settings]) -> Iterator[Check]:
    """The guard needs no PATH, but the agent's commands do, and so do other hooks."""
    found = search_path(files)
    wrong = harm(found[1]) if found else ""
    if found and wrong:
        file = machine.tilde(found[0].path)
        message = (
            f"`env.PATH` in {file} {wrong}. The guard runs all the same; other commands may not."
        )
        fix = f"Write whole folders into `env.PATH` of {file}, or remove it."
        yield Check(paths.NAME, "allowed.path", "warning", message, fix)
