"""Where Codex keeps settings, and what our entry looks like there."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...documents import json_document, toml_document
from ...machine import Machine
from .. import clients
from ..base import Scope
from ..hook_file import Shape
from .validation import EVENTS, JSON_RULES, TOML_RULES

NAME = "codex"
SCOPES: tuple[Scope, ...] = ("user", "project")
# A release that does not know an event ignores it, so all are bound always.
BOUND = ("PreToolUse", "UserPromptSubmit", "PostModelRequest")
TIMEOUT = 10  # seconds, and an integer: a float voids the file
# The only name a person sees on the trust screen. It is part of the hash: another text, and every
# user must trust the hook again.
STATUS_MESSAGE = "runaway guard"
HOOKS, CONFIG = "hooks.json", "config.toml"


def config_folder(machine: Machine) -> Path:
    """`CODEX_HOME`, links resolved, where it is set (blanks count); else `~/.codex` as it is."""
    named = machine.environ.get("CODEX_HOME", "")
    return Path(os.path.realpath(machine.cwd / named)) if named else default_folder(machine)


def default_folder(machine: Machine) -> Path:
    return machine.home / ".codex"


def project_folder(project: Path) -> Path:
    """As Codex sees it, which asks the system where it is."""
    return Path(os.path.realpath(project)) / ".codex"


def managed_folder(machine: Machine) -> Path:
    """Settings of the machine's owner; hooks there run without anybody's trust."""
    return machine.root / "etc/codex"


def settings_file(machine: Machine, scope: Scope, project: Path) -> Path:
    """`hooks.json`, unless all hooks of that folder are kept in `config.toml`.

    Codex reads both, and complains at every start about hooks in both.
    """
    folder = _folder(machine, scope, project)
    hooks, config = folder / HOOKS, folder / CONFIG
    return config if not os.path.lexists(hooks) and keeps_hooks(values_of(config)) else hooks


def _folder(machine: Machine, scope: Scope, project: Path) -> Path:
    if scope == "managed":
        return managed_folder(machine)
    return config_folder(machine) if scope == "user" else project_folder(project)


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """The other of the two files, the record of trust, and the folder that `CODEX_HOME` left."""
    own = (config_folder(machine), default_folder(machine))
    folders = (managed_folder(machine),) if machine.shared else dict.fromkeys(own)
    return tuple(folder / name for folder in folders for name in (HOOKS, CONFIG))


def values_of(config: Path) -> dict[str, Any]:
    """What a TOML file says; nothing where it cannot be read."""
    try:
        return tomllib.loads(config.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}


def keeps_hooks(config: dict[str, Any]) -> bool:
    """The record of trust, `[hooks.state]`, is no hook."""
    hooks = config.get("hooks")
    return isinstance(hooks, dict) and any(hooks.get(event) for event in EVENTS)


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {
        "type": "command",
        "command": command,
        "timeout": TIMEOUT,
        "statusMessage": STATUS_MESSAGE,
    }


def shape(machine: Machine, path: Path) -> Shape:
    in_toml = path.name == CONFIG
    return Shape(
        NAME,
        machine.tilde(path),
        TOML_RULES if in_toml else JSON_RULES,
        BOUND,
        handler,
        editor=toml_document if in_toml else json_document,
        positional=True,
    )


def bundled(machine: Machine) -> Iterator[Path]:
    """What editors' extensions bring."""
    yield from clients.extensions(machine, "openai.chatgpt", "bin/*/codex")


find_clients = clients.finder(NAME, bundled=bundled)
