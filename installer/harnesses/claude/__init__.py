"""Claude Code: hooks in settings.json of three scopes; facts in docs/harnesses.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...documents.json_document import Document
from ...machine import Machine
from .. import answers, hook_target, session_ids
from .. import sample_payload as samples
from ..base import (
    NO_CONSENT,
    Scope,
    detector,
    needs_no_consent,
    no_further_paths,
    records_no_consent,
)
from ..hook_target import Validation
from ..load import Problem
from . import environment, load, paths
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Claude Code"
SCOPES: tuple[Scope, ...] = (*paths.SCOPES, "managed")
OLDEST: tuple[int, ...] = (2, 0, 33)
MOVED_BY = "CLAUDE_CONFIG_DIR"
NEXT_STEPS: tuple[str, ...] = (
    "Running Claude Code sessions pick the guard up within seconds; nothing to restart.",
)
NO_DRILL: tuple[str, ...] = ()
CONSENT = NO_CONSENT


def _problems(machine: Machine, document: Document) -> Iterable[Problem]:
    return problems(document, paths.version(machine))


def hook_environment(machine: Machine, project: Path) -> Mapping[str, str]:
    files = (*load.all_settings(machine, project), *load.managed_settings(machine))
    return environment.of_hooks(files)


VALIDATION = Validation(_problems, "Claude Code ignores the whole file", "claude-drops-file")

detect = detector(paths.config_folder, NAME)
clients = paths.find_clients
path = paths.settings_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = hook_target.of(NAME, paths.shape, VALIDATION)
consent_targets = needs_no_consent
record_consent = records_no_consent
session_id = session_ids.uuid4
sample_payload = samples.of(
    {
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "/nonexistent"},
    },
    call=("tool_use_id", "toolu_01", 22),
)
is_denial = answers.by_hook_output
