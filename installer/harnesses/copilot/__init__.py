"""GitHub Copilot CLI: a file of our own among its hooks; facts in docs/harnesses/copilot.md."""

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
DISPLAY = "Copilot CLI"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (1, 0, 81)
MOVED_BY = "COPILOT_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start `copilot` sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = ()
CONSENT = NO_CONSENT

VALIDATION = Validation(
    of_bytes(problems), "Copilot ignores the whole file", "copilot-ignores-file"
)

detect = detector(paths.folder, NAME)
clients = clients_of.finder(NAME)
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
        "hook_event_name": "PreToolUse",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
    },
    time=("timestamp", "2026-11-30T12:{minute:02}:{second:02}.000Z"),
)
is_denial = answers.by_hook_output
