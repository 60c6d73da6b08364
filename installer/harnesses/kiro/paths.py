"""Where Kiro reads hooks: a file of our own, or agent files; which of them an installed release reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ...documents import jsonc
from ...machine import Machine
from .. import clients as clients_of
from ..base import Scope
from ..clients import Client
from ..hook_file import Shape
from .validation import RULES

NAME = "kiro"
MOVED_BY = "KIRO_HOME"
SCOPES: tuple[Scope, ...] = ("user",)
FILE = "hooks/runaway.json"
AGENTS = "agents"
PROJECT_AGENTS = f".kiro/{AGENTS}"
SETTINGS, ACTIVE = "settings/cli.json", "chat.defaultAgent"
CLI, IDE = "kiro-cli", "kiro"
HOOK_FILES_SINCE = {CLI: (3, 0, 0), IDE: (1, 0, 0)}
EVENTS = ("PreToolUse", "UserPromptSubmit")  # in a file of hooks
AGENT_EVENTS = ("preToolUse", "userPromptSubmit")  # in an agent file
TIMEOUT = 10  # seconds

clients = clients_of.finder(CLI, IDE)


class Readers(NamedTuple):
    """Whether an installed release reads files of hooks, and the CLI that reads agent files alone."""

    hook_files: bool
    agents_only: Client | None


def readers(machine: Machine, *, ask: bool = True) -> Readers:
    """Where nothing tells, as the newest releases do."""
    known = [client for client in clients(machine, ask=ask) if client.version]
    older = [one for one in known if (one.version or ()) < HOOK_FILES_SINCE[one.program.name]]
    agents = [one for one in older if one.program.name == CLI]
    return Readers(len(older) < len(known) or not known, next(iter(agents), None))


def default_folder(machine: Machine) -> Path:
    return machine.home / ".kiro"


def folder(machine: Machine) -> Path:
    """`KIRO_HOME` where it is set."""
    named = machine.variable(MOVED_BY)
    return machine.cwd / named if named else default_folder(machine)


def own_file(machine: Machine) -> Path:
    return folder(machine) / FILE


def agent_files(folder: Path) -> tuple[Path, ...]:
    """Those that are there; none is ever made, for an agent without `tools` has none."""
    return tuple(path for path in sorted(folder.glob(f"{AGENTS}/*.json")) if path.is_file())


def is_agent(path: Path) -> bool:
    return path.parent.name == AGENTS


def path(machine: Machine, _scope: Scope = "user", _project: Path | None = None) -> Path:
    """Our own file; an agent's where nothing installed reads that."""
    first = agent_files(folder(machine))[:1]
    found = readers(machine) if first else Readers(hook_files=True, agents_only=None)
    return own_file(machine) if found.hook_files else first[0]


def further_paths(machine: Machine, _scope: Scope) -> tuple[Path, ...]:
    """The agents' files, for a CLI that reads nothing else."""
    agents = agent_files(folder(machine))
    return agents if agents and readers(machine).agents_only else ()


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """What an earlier release or another `KIRO_HOME` asked for."""
    folders = dict.fromkeys((folder(machine), default_folder(machine)))
    return tuple(
        path for one in folders for path in (one / FILE, *agent_files(one))
    )  # fmt: skip


def active_agent(machine: Machine) -> str:
    """What `kiro-cli chat` starts without `--agent`; "" is the built-in one."""
    file = folder(machine) / SETTINGS
    try:
        data = file.read_bytes() if file.is_file() else b""
    except OSError:
        return ""
    return str(jsonc.values(data, (ACTIVE,)).get(ACTIVE) or "")


def agent_handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"command": command, "timeout_ms": TIMEOUT * 1000}


def shape(machine: Machine, path: Path) -> Shape:
    """Of an agent file."""
    return Shape(NAME, machine.tilde(path), RULES, AGENT_EVENTS, agent_handler, flat=True)
