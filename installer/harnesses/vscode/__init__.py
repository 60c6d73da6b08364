"""VS Code's chat with GitHub Copilot: it runs Copilot CLI's file of hooks; docs/harnesses/vscode.md."""

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
from ..copilot import VALIDATION
from . import paths
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts

NAME, LAUNCHER_ARGUMENT = paths.NAME, paths.LAUNCHER_ARGUMENT
DISPLAY = "VS Code"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (1, 112, 0)  # 1.110 does not look into ~/.copilot/hooks
MOVED_BY = ""
NEXT_STEPS: tuple[str, ...] = ("VS Code reads hooks again with the next prompt.",)
NO_DRILL: tuple[str, ...] = (
    "VS Code's chat is driven by its window alone: nothing can be drilled.",
    "Send a prompt: Output > GitHub Copilot Chat Hooks shows each run of the guard.",
)
CONSENT = NO_CONSENT

detect = detector(paths.existing_settings_folder, *paths.PROGRAMS)
clients = clients_of.finder(*paths.PROGRAMS)
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
        "transcript_path": "",
        "tool_name": "read_file",
        "tool_input": {"filePath": "/nonexistent", "startLine": 1, "endLine": 2},
    },
    call=("tool_use_id", "call_", 24),
    time=("timestamp", "2026-11-30T12:{minute:02}:{second:02}.000Z"),
)
# Somebody always attends, so the call is asked about first: until then it does not run.
is_denial = answers.by_value(*answers.HOOK_OUTPUT, wanted=("ask", "deny"))
