"""Cursor: hooks.json of two scopes, and what it takes from Claude Code's; docs/harnesses/cursor.md."""

from __future__ import annotations

from ...errors import Refusal
from .. import answers, hook_target, session_ids
from .. import clients as clients_of
from .. import sample_payload as samples
from ..base import (
    NO_CONSENT,
    Scope,
    detector,
    needs_no_consent,
    no_environment,
    no_further_paths,
    records_no_consent,
)
from ..hook_target import Place, Validation, of_bytes
from . import paths
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts
from .validation import problems

NAME, LAUNCHER_ARGUMENT = paths.NAME, paths.LAUNCHER_ARGUMENT
DISPLAY = "Cursor"
SCOPES: tuple[Scope, ...] = (*paths.SCOPES, "managed")
OLDEST: tuple[int, ...] = ()
MOVED_BY = ""
NEXT_STEPS: tuple[str, ...] = (
    "Cursor's editor reads hooks.json again when it changes (Settings > Hooks shows it).",
    "Start `cursor-agent` sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = (
    "Cursor's models answer only through Cursor's own service: nothing can be drilled.",
    "Its hook log shows each run of the guard: Output > Hooks in the editor.",
)
CONSENT = NO_CONSENT


def _refuse_unread(place: Place) -> None:
    """Refusal for a link in a project, which Cursor does not follow, and for a command that it cuts."""
    linked = paths.linked(place.path.parent.parent) if place.scope == "project" else None
    if linked:
        raise Refusal(
            f"Cursor does not read {place.name}: {linked.name} is a symbolic link.",
            code="cursor-ignores-link",
            fix="Put a real file there, or use the scope `user`.",
        )
    if "//" in place.registered or "/*" in place.registered:
        raise Refusal(
            f"Cursor would take a part of this command for a comment: {place.registered}",
            code="cursor-comment",
            fix="Set XDG_DATA_HOME to a folder without `//` and `/*` in its name.",
        )


VALIDATION = Validation(
    of_bytes(problems), "Cursor ignores the whole file", "cursor-ignores-file", _refuse_unread
)

detect = detector(paths.folder, "cursor-agent", "cursor")
clients = clients_of.finder("cursor-agent")
path = paths.hooks_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = hook_target.of(NAME, paths.shape, VALIDATION)
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
session_id = session_ids.uuid4
sample_payload = samples.of(
    {
        "model": "default",
        "hook_event_name": "preToolUse",
        "cursor_version": "0",
        "workspace_roots": [],
        "user_email": None,
        "transcript_path": None,
        "tool_name": "Shell",
        "tool_input": {"command": "true", "cwd": ""},
        "cwd": "",
    },
    session=("conversation_id", "generation_id"),
    call=("tool_use_id", "tool_", 24),
)
is_denial = answers.by_value("permission")
