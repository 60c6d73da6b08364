"""OpenCode: a plugin of our own instead of a hook; facts in docs/harnesses/opencode.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from runaway.guard.words import MARKER
from runaway.installer.harnesses import session_ids
from runaway.installer.harnesses.base import Check, Detected, Progress, Scope, found, no_environment
from runaway.installer.harnesses.drilled import counting, drilled
from runaway.installer.harnesses.opencode import places, plugin
from runaway.installer.machine import Machine
from runaway.installer.plan import Target

NAME = WORD = places.NAME
DISPLAY = "OpenCode"
SCOPES = places.SCOPES
MOVED_BY = "XDG_CONFIG_HOME"
NPM = (
    f"Its first start with a plugin waits until npm has put {places.LIBRARY} beside its settings; "
    "without network it goes on after more than a minute."
)
NEXT_STEPS: tuple[str, ...] = (
    "Start running OpenCode sessions anew: they read plugins only at their start.",
    NPM,
)

session_id = session_ids.opencode


def detect(machine: Machine) -> Detected | None:
    return found(machine.program(NAME), places.config_folder(machine))


def path(machine: Machine, scope: Scope, project: Path) -> Path:
    return places.plugin_file(machine, scope, project)


def elsewhere(machine: Machine) -> tuple[Path, ...]:
    """The default folder, which `XDG_CONFIG_HOME` may have moved away from since."""
    return (places.default_folder(machine) / places.FOLDERS[0] / plugin.FILE,)


def at(machine: Machine, scope: str, path: Path) -> Target:
    """The file is ours as a whole: there, or not there."""
    name = machine.tilde(path)
    return Target(
        NAME,
        scope,
        path,
        wire=partial(plugin.wire, name=name, launcher=machine.launcher),
        unwire=partial(plugin.unwire, name=name),
        snippet=lambda: plugin.text(machine.launcher).decode(),
    )


def checks(machine: Machine, project: Path) -> Iterator[Check]:
    from runaway.installer.harnesses.opencode import inspection

    yield from inspection.checks(machine, project)


hook_environment = no_environment


def drill(machine: Machine, project: Path | None, progress: Progress) -> tuple[Check, ...]:
    from runaway.installer.drill import opencode as drills  # brings a web server with it
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
        "event": "tool.execute.before",
        "session": session,
        "agent": "",
        "directory": "/",
        "attended": False,
        "tool": "bash",
        "call": f"call_{session_ids.of_call(session, number, 24)}",
        "args": {"command": "true"},
        "told": [],
    }
    return json.dumps(payload).encode()


def denies(answer: bytes) -> bool:
    try:
        return "deny" in json.loads(answer)
    except (ValueError, TypeError):
        return False
