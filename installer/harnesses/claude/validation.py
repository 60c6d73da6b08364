"""What makes Claude Code drop a whole settings file: checked before we write and by the doctor.

Measured (docs/harnesses.md): one invalid entry, even a stranger's, silences every hook and permission
of the file. Since 2.1.258 an invalid entry does that only under an event that can decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import KeyPath, Number
from ..load import Problem

RULES = Rules(reader="Claude Code", bom=True, utf16=True, empty_file=True)
EVENTS = frozenset(
    [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PermissionRequest",
        "Notification",
        "UserPromptSubmit",
        "SessionStart",
        "SessionEnd",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "ConfigChange",
        "PreSkillShellCommand",
    ]
)
DECIDING = frozenset(["PreToolUse", "PermissionRequest", "PreSkillShellCommand"])
TOLERANT_SINCE = (2, 1, 258)
# Up to 2.1.74 a release drops the whole file for an event that it does not know; 2.1.105 passes it over.
# Which it knows was read from the programs 2.1.16, 2.1.70 and 2.1.74.
ANY_EVENT_SINCE = (2, 1, 105)
EVENTS_SINCE = {
    (0,): (
        *("PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification", "UserPromptSubmit"),
        *("SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact"),
        *("PermissionRequest", "Setup"),
    ),
    (2, 1, 70): (
        *("TeammateIdle", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange"),
        *("WorktreeCreate", "WorktreeRemove", "InstructionsLoaded"),
    ),
}
HANDLER_TYPES = ("command", "prompt", "agent", "http", "mcp_tool")
SHELLS = ("bash", "powershell")
ON_FAILURE = ("continue", "block")


def problems(document: Document, version: tuple[int, ...] | None) -> Iterator[Problem]:
    """Everything for which this release ignores the whole file; an unknown one is taken for old."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "the top level is not an object")
        return
    yield from _scalars(settings)
    hooks = settings.get("hooks")
    yield from _unknown_events(hooks, version)
    strict = DECIDING if (version or ()) >= TOLERANT_SINCE else EVENTS
    for event, groups in (hooks if isinstance(hooks, dict) else {}).items():
        if event in strict and isinstance(groups, list):
            for index, group in enumerate(groups):
                yield from _group(group, ("hooks", event, index))


def _unknown_events(hooks: Any, version: tuple[int, ...] | None) -> Iterator[Problem]:
    if not version or version >= ANY_EVENT_SINCE or not isinstance(hooks, dict):
        return
    known = {one for since, events in EVENTS_SINCE.items() if version >= since for one in events}
    for event in hooks.keys() - known:
        number = ".".join(map(str, version))
        yield Problem(("hooks", event), f"Claude Code {number} does not know this event")


def _scalars(settings: dict[str, Any]) -> Iterator[Problem]:
    if not isinstance(settings.get("disableAllHooks", False), bool):
        yield Problem(("disableAllHooks",), "it must be true or false")
    days = settings.get("cleanupPeriodDays", 1)
    if not _is_number(days) or float(days) <= 0:
        yield Problem(("cleanupPeriodDays",), "it must be a number above 0")


def _group(group: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(group, dict):
        yield Problem(path, "a hook group must be an object")
        return
    if "matcher" in group and not isinstance(group["matcher"], str):
        yield Problem((*path, "matcher"), "a matcher must be a string")
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        yield Problem(path, "a hook group needs a list `hooks` of handlers")
        return
    for index, handler in enumerate(handlers):
        yield from _handler(handler, (*path, "hooks", index))


def _handler(handler: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(handler, dict):
        yield Problem(path, "a hook handler must be an object")
        return
    kind = handler.get("type")
    if kind not in HANDLER_TYPES:
        yield Problem(path, f"a hook handler needs a `type`, one of {', '.join(HANDLER_TYPES)}")
    if kind == "command" and not isinstance(handler.get("command"), str):
        yield Problem(path, "a command hook needs a `command`")
    if "timeout" in handler and not (
        _is_number(handler["timeout"]) and float(handler["timeout"]) > 0
    ):
        yield Problem((*path, "timeout"), "a timeout must be a number of seconds above 0")
    if handler.get("shell", SHELLS[0]) not in SHELLS:
        yield Problem((*path, "shell"), f"a shell must be one of {', '.join(SHELLS)}")
    if handler.get("onFailure", ON_FAILURE[0]) not in ON_FAILURE:
        yield Problem((*path, "onFailure"), f"onFailure must be one of {', '.join(ON_FAILURE)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Number) and not isinstance(value, bool)
