"""Cursor: hooks.json of two scopes, and what it takes from Claude Code's; docs/harnesses/cursor.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from runaway.installer.command import command_for
from runaway.installer.documents import json_document
from runaway.installer.errors import Refusal
from runaway.installer.harnesses import hook_file, session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found, no_environment
from runaway.installer.harnesses.cursor import places
from runaway.installer.harnesses.cursor.settings import faults
from runaway.installer.harnesses.reading import refuse
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME, WORD = places.NAME, places.WORD
DISPLAY = "Cursor"
SCOPES: tuple[Scope, ...] = (*places.SCOPES, "managed")
MOVED_BY = ""
NEXT_STEPS: tuple[str, ...] = (
    "Cursor's editor reads hooks.json again when it changes (Settings > Hooks shows it).",
    "Start `cursor-agent` sessions that are running anew: they read hooks only at their start.",
)

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    program = machine.program("cursor-agent") or machine.program("cursor")
    return found(program, places.folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.hooks_file(machine, scope, project)


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    return ()


def at(machine: Machine, scope: str, path: Path) -> Target:
    shape = places.shape(machine, path)
    registered = command_for(machine.launcher, WORD)
    linked = places.linked(path.parent.parent) if scope == "project" else None
    return Target(
        NAME,
        scope,
        path,
        wire=partial(_wire, shape=shape, registered=registered, linked=linked),
        unwire=partial(hook_file.unwire, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _wire(
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
    refuse(document, faults(document), effect, "cursor-ignores-file")
    if "//" in registered or "/*" in registered:
        raise Refusal(
            f"Cursor would take a part of this command for a comment: {registered}",
            code="cursor-comment",
            fix="Set XDG_DATA_HOME to a folder without `//` and `/*` in its name.",
        )
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.cursor import inspection

    yield from inspection.checks(machine, project)


hook_environment = no_environment


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    """Cursor asks its own service for every model, so that nothing can be put in its place."""
    message = "Cursor's models answer only through Cursor's own service: nothing can be drilled."
    fix = "Its hook log shows each run of the guard: Output > Hooks in the editor."
    return (Check(NAME, "drill", "skipped", message, fix),)


def sample(session: str, number: int) -> bytes:
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


def denies(answer: bytes) -> bool:
    try:
        return bool(json.loads(answer)["permission"] == "deny")
    except (ValueError, KeyError, TypeError):
        return False
