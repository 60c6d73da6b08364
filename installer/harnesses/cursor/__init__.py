"""Cursor: hooks.json of two scopes, and what it takes from Claude Code's; docs/harnesses/cursor.md."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from ...documents import json_document
from ...errors import Refusal
from ...launch_command import command_for
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_file, session_ids
from ..base import Detected, Scope, found, no_environment
from ..load import refuse
from . import paths
from .checks import checks as checks
from .validation import problems

NAME, LAUNCHER_ARGUMENT = paths.NAME, paths.LAUNCHER_ARGUMENT
DISPLAY = "Cursor"
SCOPES: tuple[Scope, ...] = (*paths.SCOPES, "managed")
MOVED_BY = ""
NEXT_STEPS: tuple[str, ...] = (
    "Cursor's editor reads hooks.json again when it changes (Settings > Hooks shows it).",
    "Start `cursor-agent` sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = (
    "Cursor's models answer only through Cursor's own service: nothing can be drilled.",
    "Its hook log shows each run of the guard: Output > Hooks in the editor.",
)

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    program = machine.program("cursor-agent") or machine.program("cursor")
    return found(program, paths.folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return paths.hooks_file(machine, scope, project)


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    return ()


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    shape = paths.shape(machine, path)
    registered = command_for(machine.launcher, LAUNCHER_ARGUMENT)
    linked = paths.linked(path.parent.parent) if scope == "project" else None
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(_install_entry, shape=shape, registered=registered, linked=linked),
        remove_entry=partial(hook_file.remove_entry, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _install_entry(
    data: bytes | None, shape: hook_file.Shape, registered: str, linked: Path | None
) -> Rewrite:
    """Refuses a file that Cursor would ignore: an entry in it would only look like protection."""
    if linked:
        raise Refusal(
            f"Cursor does not read {shape.name}: {linked.name} is a symbolic link.",
            code="cursor-ignores-link",
            fix="Put a real file there, or use the scope `user`.",
        )
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Cursor ignores the whole file {shape.name}"
    refuse(document, problems(document), effect, "cursor-ignores-file")
    if "//" in registered or "/*" in registered:
        raise Refusal(
            f"Cursor would take a part of this command for a comment: {registered}",
            code="cursor-comment",
            fix="Set XDG_DATA_HOME to a folder without `//` and `/*` in its name.",
        )
    return hook_file.install_entry(data, shape, registered)


hook_environment = no_environment


def sample_payload(session: str, number: int) -> bytes:
    payload: dict[str, Any] = {
        "conversation_id": session,
        "generation_id": session,
        "model": "default",
        "hook_event_name": "preToolUse",
        "cursor_version": "0",
        "workspace_roots": [],
        "user_email": None,
        "transcript_path": None,
        "tool_name": "Shell",
        "tool_input": {"command": "true", "cwd": ""},
        "tool_use_id": f"tool_{session_ids.of_call(session, number, 24)}",
        "cwd": "",
    }
    return json.dumps(payload).encode()


def is_denial(answer: bytes) -> bool:
    try:
        return bool(json.loads(answer)["permission"] == "deny")
    except (ValueError, KeyError, TypeError):
        return False
