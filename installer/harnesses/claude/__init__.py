"""Claude Code: hooks in settings.json of three scopes; facts in docs/harnesses.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from runaway.guard.words import MARKER
from runaway.installer.command import command_for
from runaway.installer.documents import json_document
from runaway.installer.harnesses import hook_file, session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found
from runaway.installer.harnesses.claude import places
from runaway.installer.harnesses.claude.settings import faults
from runaway.installer.harnesses.drilled import counting, drilled
from runaway.installer.harnesses.reading import refuse
from runaway.installer.machine import Machine
from runaway.installer.plan import Rewrite, Target

NAME = WORD = places.NAME
DISPLAY = "Claude Code"
SCOPES: tuple[Scope, ...] = (*places.SCOPES, "managed")
MOVED_BY = "CLAUDE_CONFIG_DIR"
NEXT_STEPS: tuple[str, ...] = (
    "Running Claude Code sessions pick the guard up within seconds; nothing to restart.",
)

session_id = session_ids.uuid4


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), places.config_folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.settings_file(machine, scope, project)


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    """`~/.claude`, which `CLAUDE_CONFIG_DIR` may have moved away from since."""
    if machine.shared:
        return tuple(places.managed_folder(machine) / n for n in (places.DROP_IN, places.WHOLE))
    return (places.default_folder(machine) / "settings.json",)


def at(machine: Machine, scope: str, path: Path) -> Target:
    shape = places.shape(machine, path)
    registered = command_for(machine.launcher, NAME)
    return Target(
        NAME,
        scope,
        path,
        wire=partial(_wire, machine=machine, shape=shape, registered=registered),
        unwire=partial(hook_file.unwire, shape=shape),
        snippet=partial(hook_file.snippet, shape, registered),
    )


def _wire(data: bytes | None, machine: Machine, shape: hook_file.Shape, registered: str) -> Rewrite:
    """Refuses a file that Claude Code would drop: an entry in it would only look like protection."""
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"Claude Code ignores the whole file {shape.name}"
    refuse(document, faults(document, places.version(machine)), effect, "claude-drops-file")
    return hook_file.wire(data, shape, registered)


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.claude import switches

    yield from switches.checks(machine, project)


def hook_environment(machine: Machine, project: Path) -> Mapping[str, str]:
    from runaway.installer.harnesses.claude import environment, reading

    files = (*reading.all_settings(machine, project), *reading.managed_settings(machine))
    return environment.of_hooks(files)


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import claude as drills  # brings a web server with it
    from runaway.installer.drill.outcome import DrillReport

    def run(program: Path) -> DrillReport:
        return drills.drill(
            program,
            MARKER,
            environment=machine.environ,
            project=project,
            on_progress=counting(progress),
            managed=places.managed_folder(machine),
        )

    return drilled(machine, NAME, DISPLAY, run)


def sample(session: str, number: int) -> bytes:
    payload = {
        "session_id": session,
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "/nonexistent"},
        "tool_use_id": f"toolu_01{session_ids.of_call(session, number, 22)}",
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        decision = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(decision == "deny")
