"""Codex CLI: hooks in `hooks.json` or `config.toml`, run only when trusted.

Facts in docs/harnesses/codex.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from runaway.guard.words import MARKER
from runaway.installer.command import command_for, parse
from runaway.installer.documents import toml_document
from runaway.installer.documents.values import Created, ProofFailed
from runaway.installer.harnesses import hook_file, session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found, no_environment
from runaway.installer.harnesses.codex import places, trusting
from runaway.installer.harnesses.codex.reading import refuse_dropped
from runaway.installer.harnesses.codex.trust import hooks_in
from runaway.installer.harnesses.drilled import counting, drilled
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Codex"
SCOPES: tuple[Scope, ...] = (*places.SCOPES, "managed")
MOVED_BY = "CODEX_HOME"
LEFT_TO_CODEX = ("toml-syntax", "toml-unproven")  # refusals of an edit that Codex can do
NEXT_STEPS: tuple[str, ...] = (
    "Codex runs no hook before it is reviewed: start `codex`, choose `Review hooks`, press t.",
)

session_id = session_ids.uuid7


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), places.config_folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.settings_file(machine, scope, project)


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    """The other of the two files, the record of trust, and the folder that `CODEX_HOME` left."""
    own = (places.config_folder(machine), places.default_folder(machine))
    folders = (places.managed_folder(machine),) if machine.shared else dict.fromkeys(own)
    return tuple(folder / name for folder in folders for name in (places.HOOKS, places.CONFIG))


def at(machine: Machine, scope: str, path: Path) -> Target:
    shape = places.shape(machine, path)
    registered = command_for(machine.launcher, NAME)
    return Target(
        NAME,
        scope,
        path,
        wire=partial(_wire, shape=shape, registered=registered),
        unwire=partial(_unwire, shape=shape, launcher=machine.launcher),
        snippet=partial(_snippet, shape, registered),
    )


def _wire(data: bytes | None, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file that Codex would drop: an entry in it would only look like protection."""
    refuse_dropped(shape, data or b"")
    rewrite = hook_file.wire(data, shape, registered)
    _prove_that_others_stay(shape, data or b"", rewrite.data or b"")
    return rewrite


def _unwire(
    data: bytes | None, created: tuple[Created, ...], shape: hook_file.Shape, launcher: Path
) -> Rewrite:
    """Our entries and, in `config.toml`, the trust in them."""
    if data is None:
        return Rewrite(None)
    rest = hook_file.unwire(data, created, shape)
    _prove_that_others_stay(shape, data, rest.data or b"")
    return trusting.unwire(rest.data, created, shape, launcher)


def _prove_that_others_stay(shape: hook_file.Shape, before: bytes, after: bytes) -> None:
    """Trust goes by place and content: of every hook that is not ours both must be what they were."""
    seen, now = (
        [hook for hook in hooks_in(shape.parse(data).value, Path()) if not _is_ours(hook.command)]
        for data in (before, after)
    )
    if seen != now:
        raise ProofFailed(f"{shape.name}: another hook would lose its trust")


def _is_ours(command: str) -> bool:
    registered = parse(command)
    return registered is not None and registered.harness == NAME


def _snippet(shape: hook_file.Shape, registered: str) -> str:
    if shape.editor is not toml_document:
        return hook_file.snippet(shape, registered)
    group = {"hooks": [shape.handler(registered)]}
    return "\n".join(toml_document.snippet(("hooks", event), group) for event in shape.events)


def with_trust(machine: Machine, target: Target) -> tuple[Target, ...]:
    """For a person who has consented: the entry, and the record that Codex may run it."""
    return trusting.with_trust(machine, target)


def trust_by_codex(machine: Machine, target: Target, project: Path) -> bool:
    """The same record written by Codex itself, where its file is none that we can edit."""
    from runaway.installer.harnesses.codex import app_server

    program = machine.program("codex")
    trusted = trusting.ours(machine, target)
    return program is not None and app_server.record(program, machine, project, trusted)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.codex import checking

    yield from checking.checks(machine, project)


hook_environment = no_environment


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import codex as drills  # brings a web server with it
    from runaway.installer.drill.outcome import DrillReport

    def run(program: Path) -> DrillReport:
        return drills.drill(
            program,
            MARKER,
            environment=machine.environ,
            project=project,
            on_progress=counting(progress),
        )

    return drilled(machine, NAME, DISPLAY, run)


def sample(session: str, number: int) -> bytes:
    payload = {
        "session_id": session,
        "turn_id": session,
        "transcript_path": None,
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "model": "a-model",
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
        "tool_use_id": f"call_{session_ids.of_call(session, number, 24)}",
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
