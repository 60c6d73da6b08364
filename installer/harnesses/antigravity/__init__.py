"""Google Antigravity: a hooks.json of the user; facts in docs/harnesses/antigravity.md."""

from __future__ import annotations

import uuid

from .. import answers, hook_target
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
DISPLAY = "Antigravity"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = ()
MOVED_BY = ""
NEXT_STEPS: tuple[str, ...] = (
    "Start new conversations in Antigravity; hooks are read when a conversation starts.",
)
NO_DRILL: tuple[str, ...] = (
    "Antigravity's models answer only through Google's own service: nothing can be drilled.",
    "`runaway status` lists its sessions once the guard has been run in them.",
)
CONSENT = NO_CONSENT
VALIDATION = Validation(
    of_bytes(problems), "Antigravity drops, without a word,", "antigravity-drops-hooks"
)

detect = detector(paths.data_folder, "agy")
clients = clients_of.finder("agy")
path = paths.hooks_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = hook_target.of(NAME, paths.shape, VALIDATION)
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
is_denial = answers.by_value("decision")


def session_id() -> str:
    return uuid.uuid4().hex


sample_payload = samples.of(
    {
        "transcriptPath": "",
        "artifactDirectoryPath": "",
        "workspacePaths": ["/"],
        "modelName": "gemini",
        "toolCall": {"name": "run_command", "args": {"CommandLine": "true", "Cwd": "/"}},
    },
    session=("conversationId",),
    time=("stepIdx", "{minute}{second:02}"),
)
