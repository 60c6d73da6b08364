"""What makes Antigravity drop a whole hooks.json, without a word: a stranger's bad hook is enough.

The shape is that of the core 0.1.22, by files that it took and dropped (docs/harnesses/antigravity.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import KeyPath
from ..load import Problem

RULES = Rules(reader="Antigravity")
GROUPED = ("pretooluse", "posttooluse")
BARE = ("preinvocation", "postinvocation", "stop", "sessionstart")


def problems(document: Document) -> Iterator[Problem]:
    """Of a hooks.json: a map of named hooks, each with `enabled` and lists of events."""
    if not isinstance(document.value, dict):
        yield Problem((), "the top level is not an object")
        return
    for name, hook in document.value.items():
        yield from _hook(hook, (name,))


def _hook(hook: Any, path: KeyPath) -> Iterator[Problem]:
    if hook is None:
        return
    if not isinstance(hook, dict):
        yield Problem(path, "a named hook must be an object")
        return
    for key, value in hook.items():
        event = key.lower()
        if key == "enabled" and not isinstance(value, bool | None):
            yield Problem((*path, key), "it must be true or false")
        elif event in (*GROUPED, *BARE) and value is not None:
            yield from _event(value, (*path, key), event in GROUPED)


def _event(items: Any, path: KeyPath, grouped: bool) -> Iterator[Problem]:
    if not isinstance(items, list):
        yield Problem(path, "an event must be a list")
        return
    for index, item in enumerate(items):
        place = (*path, index)
        yield from _group(item, place) if grouped else _handler(item, place)


def _group(group: Any, path: KeyPath) -> Iterator[Problem]:
    """A handler that stands in no group is taken for an empty one, and never runs."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks") or [], list):
        yield Problem(path, "a group must be an object with a list `hooks`")
        return
    if not isinstance(group.get("matcher") or "", str):
        yield Problem((*path, "matcher"), "it must be a text")
    for index, handler in enumerate(group.get("hooks") or ()):
        yield from _handler(handler, (*path, "hooks", index))


def _handler(handler: Any, path: KeyPath) -> Iterator[Problem]:
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str) or not command:
        yield Problem(path, "a handler needs a `command`")
    elif handler.get("type") not in (None, "", "command"):
        yield Problem((*path, "type"), 'it must be "command"')
    elif type(handler.get("timeout", 0)) is not int:
        yield Problem((*path, "timeout"), "it must be a whole number")
