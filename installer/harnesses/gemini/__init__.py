"""Gemini CLI: hooks in settings.json of two scopes; facts in docs/harnesses/gemini.md."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from ...documents import json_document
from ...launch_command import command_for
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_file, session_ids
from ..base import Detected, Scope, found, no_environment
from ..load import refuse
from . import paths
from .checks import checks as checks
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Gemini CLI"
SCOPES = paths.SCOPES
MOVED_BY = "GEMINI_CLI_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start Gemini CLI sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), paths.folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return paths.settings_file(machine, scope, project)


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.gemini`, which `GEMINI_CLI_HOME` may have moved away from since."""
    return (paths.default_file(machine),)


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    shape = paths.shape(machine, path)
    registered = command_for(machine.launcher, NAME)
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(_install_entry, shape=shape, registered=registered),
        remove_entry=partial(hook_file.remove_entry, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _install_entry(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file whose hooks are not run: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Gemini CLI cannot use {shape.name}"
    refuse(document, problems(document), effect, "gemini-silences-hooks")
    return hook_file.install_entry(data, shape, registered)


hook_environment = no_environment


def sample_payload(session: str, number: int) -> bytes:
    payload = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "BeforeTool",
        "timestamp": f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z",
        "tool_name": "read_file",
        "tool_input": {"file_path": "/nonexistent"},
    }
    return json.dumps(payload).encode()


def is_denial(answer: bytes) -> bool:
    try:
        return bool(json.loads(answer)["decision"] == "deny")
    except (ValueError, KeyError, TypeError):
        return False
