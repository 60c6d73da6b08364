"""Codex CLI: hooks in `hooks.json` or `config.toml`, run only when trusted.

Facts in docs/harnesses/codex.md.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ...documents import toml_document
from ...documents.values import Created, VerificationError
from ...launch_command import command_for, named_launcher, parse
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import answers, hook_file, session_ids
from .. import sample_payload as samples
from ..base import Consent, Scope, detector, no_environment, no_further_paths
from . import app_server, paths, trust_record
from .checks import checks as checks
from .load import refuse_dropped
from .tamper import tamper_facts as tamper_facts
from .trust import hooks_in

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Codex"
SCOPES: tuple[Scope, ...] = (*paths.SCOPES, "managed")
OLDEST: tuple[int, ...] = (0, 130, 0)  # from which on hooks with trust were measured
MOVED_BY = "CODEX_HOME"
CONSENT: Consent | None = Consent(
    about="""\
Codex runs a hook only after you have trusted it. runaway can record your trust
in its own hook, and in no other. Or review it yourself: start `codex` and
choose `Review hooks`.""",
    question="Record your trust in this hook for Codex?",
    no="No, I review it in Codex",
    yes="Yes, record my trust in runaway's hook",
    left_to_it=("toml-syntax", "toml-unproven"),
)
NEXT_STEPS: tuple[str, ...] = (
    "Codex runs no hook before it is reviewed: start `codex`, choose `Review hooks`, press t.",
)
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.uuid7


detect = detector(paths.config_folder, NAME)
clients = paths.find_clients
path = paths.settings_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths


def edit_target(machine: Machine, scope: str, path: Path) -> Target:
    shape = hook_file.at_home(machine, paths.shape(machine, path))
    registered = command_for(named_launcher(machine, scope), NAME)
    return Target(
        NAME,
        scope,
        path,
        install_entry=partial(_install_entry, shape=shape, registered=registered),
        remove_entry=partial(_remove_entry, shape=shape, launcher=machine.launcher),
        snippet=partial(_snippet, shape, registered),
    )


def _install_entry(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file that Codex would drop: an entry in it would only look like protection."""
    refuse_dropped(shape, data or b"")
    rewrite = hook_file.install_entry(data, shape, registered)
    _prove_that_others_stay(shape, data or b"", rewrite.data or b"")
    return rewrite


def _remove_entry(
    data: bytes | None, created: tuple[Created, ...], shape: hook_file.Shape, launcher: Path
) -> Rewrite:
    """Our entries and, in `config.toml`, the trust in them."""
    if data is None:
        return Rewrite(None)
    rest = hook_file.remove_entry(data, created, shape)
    _prove_that_others_stay(shape, data, rest.data or b"")
    return trust_record.remove_entry(rest.data, created, shape, launcher)


def _prove_that_others_stay(shape: hook_file.Shape, before: bytes, after: bytes) -> None:
    """Trust goes by place and content: of every hook that is not ours both must be what they were."""
    seen, now = (
        [hook for hook in hooks_in(shape.parse(data).value, Path()) if not _is_ours(hook.command)]
        for data in (before, after)
    )
    if seen != now:
        raise VerificationError(f"{shape.name}: another hook would lose its trust")


def _is_ours(command: str) -> bool:
    registered = parse(command)
    return registered is not None and registered.harness == NAME


def _snippet(shape: hook_file.Shape, registered: str) -> str:
    if shape.editor is not toml_document:
        return hook_file.snippet(shape, registered)
    group = {"hooks": [shape.handler(registered)]}
    return "\n".join(toml_document.snippet(("hooks", event), group) for event in shape.events)


def record_consent(machine: Machine, target: Target, project: Path) -> bool:
    program = machine.program(NAME)
    trusted = trust_record.ours(machine, target)
    return program is not None and app_server.record(program, machine, project, trusted)


consent_targets = trust_record.with_trust
hook_environment = no_environment
sample_payload = samples.of(
    {
        "transcript_path": None,
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "model": "a-model",
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
    },
    session=("session_id", "turn_id"),
    call=("tool_use_id", "call_", 24),
)
is_denial = answers.by_hook_output
