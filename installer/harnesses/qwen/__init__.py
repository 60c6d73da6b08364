"""Qwen Code: hooks in settings.json of two scopes; facts in docs/harnesses/qwen.md."""

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
DISPLAY = "Qwen Code"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (0, 15, 10)
MOVED_BY = "QWEN_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start Qwen Code sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = ()
CONSENT = NO_CONSENT

VALIDATION = Validation(of_bytes(problems), "Qwen Code cannot use", "qwen-silences-hooks")

detect = detector(paths.folder, NAME)
clients = clients_of.finder(NAME)
path = paths.settings_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = hook_target.of(NAME, paths.shape, VALIDATION)
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
session_id = session_ids.uuid4
sample_payload = samples.of(
    {
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "permission_mode": "yolo",
        "tool_name": "read_file",
        "tool_input": {"file_path": "/nonexistent"},
    },
    call=("tool_call_id", "call_", 24),
)
is_denial = answers.by_hook_output
