"""Kiro, CLI and IDE: a file of hooks of our own, or agent files; docs/harnesses/kiro.md."""

from __future__ import annotations

from pathlib import Path

from ...errors import Refusal
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_target, session_ids
from .. import sample_payload as samples
from ..base import NO_CONSENT, detector, needs_no_consent, no_environment, records_no_consent
from ..hook_target import Place, Validation, of_bytes
from . import own_file, paths
from .checks import CREATE
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Kiro"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = ()
MOVED_BY = paths.MOVED_BY
NEXT_STEPS: tuple[str, ...] = ("Restart any running Kiro sessions.",)
NO_DRILL: tuple[str, ...] = (
    "Kiro's models answer only through its own service: nothing can be drilled.",
    "`runaway status` lists its sessions once the guard has been run in them.",
)
CONSENT = NO_CONSENT


def _refuse_missing(place: Place) -> None:
    """An agent of hooks alone would have no tools."""
    if not place.path.is_file():
        raise Refusal(f"There is no agent {place.name}.", code="no-agent", fix=CREATE)


VALIDATION = Validation(
    of_bytes(problems), "Kiro rejects, without a word,", "kiro-rejects-agent", _refuse_missing
)

detect = detector(paths.folder, paths.CLI, paths.IDE)
clients = paths.clients
path = paths.path
legacy_paths = paths.legacy_paths
further_paths = paths.further_paths
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
session_id = session_ids.uuid4
sample_payload = samples.of(
    {
        "hook_event_name": "PreToolUse",
        "cwd": "/",
        "tool_name": "execute_bash",
        "tool_input": {"command": "true"},
    }
)
_agent_target = hook_target.of(NAME, paths.shape, VALIDATION)


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    """What no installed release reads is not written: it would only look like protection."""
    if paths.is_agent(path):
        return _agent_target(machine, scope, path)
    target = own_file.target(machine, scope, path)

    def install_entry(data: bytes | None) -> Rewrite:
        found = paths.readers(machine)
        if found.agents_only and not found.hook_files:
            name = found.agents_only.named(machine, "Kiro CLI")
            text = (
                f"{name} does not read {machine.tilde(path)}: it reads hooks in agent files alone."
            )
            raise Refusal(text, code="kiro-ignores-file", fix=CREATE)
        return target.install_entry(data)

    return target._replace(install_entry=install_entry)


def is_denial(answer: bytes) -> bool:
    """The reason on stderr; the exit code is looked at by whoever ran the command."""
    return answer.startswith(b"[runaway]")
