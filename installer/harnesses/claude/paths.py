"""Where Claude Code keeps settings, and what our entry looks like there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...machine import Machine
from .. import clients
from ..base import Scope
from ..clients import Client
from ..hook_file import Shape
from ..release import Version
from .validation import RULES

NAME = "claude"
SCOPES: tuple[Scope, ...] = ("user", "project", "local")  # of rising precedence
# PostToolBatch sees calls that never reach PreToolUse (an Edit whose text is not found); releases up
# to 2.1.74 drop the whole file for an event that they do not know.
EVENTS_SINCE = {"PreToolUse": (0,), "PostToolBatch": (2, 1, 137)}
DECIDING = ("PreToolUse",)
TIMEOUT = 10  # seconds
IN_PROJECT = {"project": ".claude/settings.json", "local": ".claude/settings.local.json"}
MANAGED = {
    "darwin": "Library/Application Support/ClaudeCode",
    "linux": "etc/claude-code",
}
# Files of the organisation: one of its own for each team that has rules, where a release reads those.
DROP_IN, DROP_IN_SINCE = "managed-settings.d/50-runaway.json", (2, 1, 83)
WHOLE = "managed-settings.json"


def config_folder(machine: Machine) -> Path:
    """`CLAUDE_CONFIG_DIR` where it is set (relative to the current folder), else `~/.claude`."""
    named = machine.variable("CLAUDE_CONFIG_DIR")
    return machine.cwd / named if named else default_folder(machine)


def default_folder(machine: Machine) -> Path:
    return machine.home / ".claude"


def managed_folder(machine: Machine) -> Path:
    """Where an organisation's settings are; they outrank the user's."""
    return machine.root / MANAGED.get(sys.platform, MANAGED["linux"])


def managed_file(machine: Machine) -> Path:
    """A release that is not there yet will read drop-ins."""
    known = version(machine) or DROP_IN_SINCE
    return managed_folder(machine) / (DROP_IN if known >= DROP_IN_SINCE else WHOLE)


def settings_file(machine: Machine, scope: Scope, project: Path) -> Path:
    if scope == "user":
        return config_folder(machine) / "settings.json"
    if scope == "managed":
        return managed_file(machine)
    return project / IN_PROJECT[scope]


def legacy_paths(machine: Machine) -> tuple[Path, ...]:
    """`~/.claude`, which `CLAUDE_CONFIG_DIR` may have moved away from since."""
    if machine.shared:
        return tuple(managed_folder(machine) / name for name in (DROP_IN, WHOLE))
    return (default_folder(machine) / "settings.json",)


def handler(command: str) -> dict[str, Any]:
    """Without a matcher: for every tool."""
    return {"type": "command", "command": command, "timeout": TIMEOUT}


def bundled(machine: Machine) -> Iterator[Path]:
    """What editors' extensions and the Agent SDK of this project bring."""
    yield from clients.extensions(
        machine, "anthropic.claude-code", "resources/native-binary/claude"
    )
    yield from clients.in_python(machine, "claude_agent_sdk/_bundled/claude")
    sdk = machine.cwd / "node_modules/@anthropic-ai/claude-agent-sdk/package.json"
    yield from filter(Path.is_file, (machine.home / ".claude/local/claude", sdk))


find_clients = clients.finder(NAME, bundled=bundled)


def oldest(machine: Machine, *, ask: bool = True) -> Client | None:
    """All clients read the same files: the oldest says what may be in them. None: none is known."""
    return clients.oldest(find_clients(machine, ask=ask))


def version(machine: Machine, *, ask: bool = True) -> Version | None:
    """Of the oldest."""
    client = oldest(machine, ask=ask)
    return client.version if client else None


def events(machine: Machine, *, ask: bool = True) -> tuple[str, ...]:
    """Those that every installed release knows; without one only what every release knows."""
    known = version(machine, ask=ask) or (0,)
    return tuple(event for event, since in EVENTS_SINCE.items() if known >= since)


def shape(machine: Machine, path: Path) -> Shape:
    wanted, name = events(machine), machine.tilde(path)
    harmful = tuple(EVENTS_SINCE) if version(machine) else ()
    unknown = tuple(event for event in harmful if event not in wanted)
    return Shape(NAME, name, RULES, wanted, handler, once=tuple(EVENTS_SINCE), unwanted=unknown)
