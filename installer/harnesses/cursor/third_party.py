"""How Cursor reads the hooks of Claude Code's settings: what it would run of them, and why not.

All of it measured with Cursor's own hook loader (docs/harnesses/cursor.md). A person can switch it off
("Include third-party Plugins, Skills, and other configs"); that setting is in no file we may rely on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .validation import entry_faults

EVENTS = {  # None: known, but never run
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "Stop": "stop",
    "SubagentStop": "subagentStop",
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "PreCompact": "preCompact",
    "Notification": None,
    "PermissionRequest": None,
}
TOOLS = {"Bash": "Shell", "Edit": "Write"}  # the others keep their names
WITHOUT = ("Glob",)  # Cursor has no such tool
MATCHED = ("PreToolUse", "PostToolUse")  # the matchers of other events are dropped


class Hook(NamedTuple):
    """A command that Cursor runs on an event of its own for tools that match ("" = all)."""

    event: str
    matcher: str
    command: str


class Taken(NamedTuple):
    """What Cursor takes from one file of Claude Code, and why it takes nothing."""

    hooks: tuple[Hook, ...]
    reason: str = ""


def taken(data: bytes) -> Taken:
    """Of the bytes of a settings file; plain JSON is read and nothing else."""
    try:
        hooks = json.loads(data.decode())["hooks"]
        items = list(hooks.items())
    except (KeyError, TypeError, AttributeError):
        return Taken((), "it holds no hooks")
    except (ValueError, RecursionError):
        return Taken((), "Cursor reads plain JSON only, and this is not")
    if not _recognised(items):
        return Taken((), "no hook in it has a `matcher`, by which Cursor recognises such a file")
    try:
        mapped = tuple(_mapped(items))
    except (AttributeError, KeyError, TypeError):
        return Taken((), "one of its hooks has not the shape that Cursor expects")
    for _, entry in mapped:
        for fault in entry_faults(entry, ()):
            return Taken((), f"one of its hooks is not what Cursor expects: {fault.reason}")
    return Taken(tuple(Hook(event, entry["matcher"], entry["command"]) for event, entry in mapped))


def _recognised(items: Iterable[tuple[str, Any]]) -> bool:
    """One group with a matcher, be it empty, under an event that Cursor has heard of."""
    return any(
        isinstance(group, dict) and isinstance(group.get("hooks"), list) and "matcher" in group
        for event, groups in items
        if event in EVENTS and isinstance(groups, list)
        for group in groups
    )


def _mapped(items: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(event, hook) in Cursor's shape."""
    for event, groups in items:
        name = EVENTS.get(event)
        for group in groups if name and isinstance(groups, list) else ():
            matcher = tools(str(group.get("matcher") or "")) if event in MATCHED else ""
            for handler in group["hooks"] if matcher is not None else ():
                if handler.get("type") != "prompt" and handler.get("command"):
                    options = {
                        key: handler[key] for key in ("command", "timeout") if key in handler
                    }
                    yield str(name), {"matcher": matcher or "", **options}


def tools(matcher: str) -> str | None:
    """The matcher in Cursor's names; None when none of its tools is left."""
    if matcher in ("", "*"):
        return ""
    found: list[str] = []
    for part in map(str.strip, matcher.split("|")):
        _, *mcp = part.split("__") if part.startswith("mcp__") else (part,)
        if len(mcp) > 1:
            found.append("MCP:" + "__".join(mcp[1:]))
        elif part not in WITHOUT:
            found.append(TOOLS.get(part, part))
    return "|".join(dict.fromkeys(found)) or None


def without_doubles(native: Iterable[Hook], foreign: Iterable[Hook]) -> tuple[Hook, ...]:
    """Cursor's own hooks, and those of Claude Code whose command its own do not name for that event.

    Among its own files and among Claude Code's nothing is dropped: the same command runs several times.
    """
    own = tuple(native)
    named = {(hook.event, hook.command) for hook in own}
    return (*own, *(hook for hook in foreign if (hook.event, hook.command) not in named))
