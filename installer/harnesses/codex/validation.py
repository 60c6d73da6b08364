"""What makes Codex drop a hooks file, or not start at all: checked before we write and by the doctor.

Measured (docs/harnesses/codex.md): one value of a wrong type voids all hooks of `hooks.json`; in
`config.toml` it keeps Codex from starting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...documents import json_document, toml_document
from ...documents.values import KeyPath
from ..load import Problem

JSON_RULES = json_document.Rules(reader="Codex")
TOML_RULES = toml_document.Rules(reader="Codex", bom=True)
TOP_LEVEL = ("hooks", "description")
EVENTS = (
    "PreModelRequest",
    "PostModelRequest",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
)
NEEDED = {"command": ("command",), "mcp_tool": ("server", "tool"), "prompt": (), "agent": ()}
MAX_INTEGER = 2**64


def problems(settings: Any, *, in_toml: bool) -> Iterator[Problem]:
    """Everything of a wrong type where Codex looks; unknown events and fields are ignored by it."""
    if not isinstance(settings, dict):
        yield Problem((), "the top level is not an object")
        return
    if not in_toml:
        yield from _top_level(settings)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        yield Problem(("hooks",), "it must be an object")
        return
    for event in EVENTS:
        groups = hooks.get(event, [])
        if not isinstance(groups, list):
            yield Problem(("hooks", event), "an event needs a list of groups")
            continue
        for index, group in enumerate(groups):
            yield from _group(group, ("hooks", event, index))


def _top_level(settings: dict[str, Any]) -> Iterator[Problem]:
    for key in settings:
        if key not in TOP_LEVEL:
            yield Problem((key,), f"the top level may hold nothing but {' and '.join(TOP_LEVEL)}")
    if not isinstance(settings.get("description"), str | None):
        yield Problem(("description",), "a description must be a string")


def _group(group: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(group, dict):
        yield Problem(path, "a hook group must be an object")
        return
    if not isinstance(group.get("matcher"), str | None):
        yield Problem((*path, "matcher"), "a matcher must be a string")
    handlers = group.get("hooks", [])
    if not isinstance(handlers, list):
        yield Problem((*path, "hooks"), "the hooks of a group must be a list")
        return
    for index, handler in enumerate(handlers):
        yield from _handler(handler, (*path, "hooks", index))


def _handler(handler: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(handler, dict):
        yield Problem(path, "a hook handler must be an object")
        return
    kind = handler.get("type")
    if kind not in NEEDED:
        yield Problem(path, f"a hook handler needs a `type`, one of {', '.join(NEEDED)}")
        return
    for name in NEEDED[kind]:
        if not isinstance(handler.get(name), str):
            yield Problem(path, f"a hook of type {kind} needs a `{name}`")
    for name, (is_good, wanted) in FIELDS.items():
        if name in handler and not is_good(handler[name]):
            yield Problem((*path, name), f"{name} must be {wanted}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str | None)


def _is_number(value: Any) -> bool:
    return value is None or is_count(value)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_INTEGER


FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "statusMessage": (_is_text, "a string"),
    "commandWindows": (_is_text, "a string"),
    "command_windows": (_is_text, "a string"),
    "timeout": (_is_number, "a whole number, 0 or more"),
    "additionalContextLimit": (_is_number, "a whole number, 0 or more"),
    "async": (lambda value: isinstance(value, bool), "true or false"),
}
