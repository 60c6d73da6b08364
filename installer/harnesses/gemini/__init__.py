"""Gemini CLI: hooks in settings.json of two scopes; facts in docs/harnesses/gemini.md."""

from __future__ import annotations

from ...machine import Machine
from .. import answers, hook_target, session_ids
from .. import clients as clients_of
from .. import sample_payload as samples
from ..base import (
    NO_CONSENT,
    Detected,
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
DISPLAY = "Gemini CLI"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (0, 39, 0)
MOVED_BY = "GEMINI_CLI_HOME"
NEXT_STEPS: tuple[str, ...] = (
    "Start Gemini CLI sessions that are running anew: they read hooks only at their start.",
)
NO_DRILL: tuple[str, ...] = ()
CONSENT = NO_CONSENT

ANTIGRAVITYS = frozenset(("antigravity", "config"))
VALIDATION = Validation(of_bytes(problems), "Gemini CLI cannot use", "gemini-silences-hooks")

_found = detector(paths.folder, NAME)


def detect(machine: Machine) -> Detected | None:
    """Antigravity keeps its files in Gemini CLI's folder: those alone are no Gemini CLI."""
    found = _found(machine)
    if found is None or found.program or found.folder is None:
        return found
    names = {path.name for path in found.folder.iterdir()}
    return None if names and names <= ANTIGRAVITYS else found


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
        "hook_event_name": "BeforeTool",
        "tool_name": "read_file",
        "tool_input": {"file_path": "/nonexistent"},
    },
    time=("timestamp", "2026-01-01T00:{minute:02}:{second:02}.000Z"),
)
is_denial = answers.by_value("decision")
