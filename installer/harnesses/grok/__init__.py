"""Grok Build: a file of our own among its hooks; facts in docs/harnesses/grok.md."""

from __future__ import annotations

from .. import answers, hook_target, session_ids
from .. import clients as clients_of
from .. import sample_payload as samples
from ..base import (
    NO_CONSENT,
    detector,
    needs_no_consent,
    no_environment,
    no_further_paths,
    records_no_consent,
)
from ..hook_target import Validation, of_bytes
from . import paths
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Grok Build"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = ()
MOVED_BY = "GROK_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Restart any running Grok sessions; hooks are read only at startup.",
)
NO_DRILL: tuple[str, ...] = ()
CONSENT = NO_CONSENT

VALIDATION = Validation(of_bytes(problems), "Grok ignores the whole file", "grok-ignores-file")

detect = detector(paths.folder, NAME)
clients = clients_of.finder(NAME)
path = paths.hooks_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = hook_target.of(NAME, paths.shape, VALIDATION)
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
session_id = session_ids.uuid7
sample_payload = samples.of(
    {
        "hookEventName": "pre_tool_use",
        "hook_event_name": "PreToolUse",
        "cwd": "/",
        "workspaceRoot": "/",
        "permission_mode": "bypassPermissions",
        "tool_name": "read_file",
        "tool_input": {"target_file": "/nonexistent"},
    },
    session=("sessionId", "session_id"),
    call=("tool_use_id", "call_", 24),
)
is_denial = answers.by_hook_output
