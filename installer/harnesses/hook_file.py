"""Settings files with hook groups per event: find our entries, add or renew them, take them out.

{"hooks": {"PreToolUse": [{"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}]}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from runaway.installer import command
from runaway.installer.documents import json_document
from runaway.installer.documents.json_document import Document, Rules
from runaway.installer.documents.values import Created, KeyPath
from runaway.installer.plan import Rewrite

EVERY_TOOL = (None, "", "*")  # matchers that mean the same as none at all


class Shape(NamedTuple):
    """How a harness keeps hooks: `handler` makes our entry of a command, `events` is where it goes."""

    harness: str
    name: str  # of the file, for messages
    rules: Rules
    events: tuple[str, ...]
    handler: Callable[[str], dict[str, Any]]


class Entry(NamedTuple):
    """An entry of ours in a document: where, for which event, and its handler as it stands there."""

    path: KeyPath
    event: str
    registered: command.Registered
    handler: dict[str, Any]


def entries(document: Document, harness: str) -> Iterator[Entry]:
    """Ours are those whose command parses to a launcher and this harness, for every tool.

    The same command bound to a narrower matcher is the user's own doing and is left alone.
    """
    hooks = document.value.get("hooks") if isinstance(document.value, dict) else None
    for event, groups in (hooks if isinstance(hooks, dict) else {}).items():
        for index, group in enumerate(groups if isinstance(groups, list) else []):
            yield from _in_group(group, ("hooks", event, index), event, harness)


def _in_group(group: Any, path: KeyPath, event: str, harness: str) -> Iterator[Entry]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(handlers, list) or group.get("matcher") not in EVERY_TOOL:
        return
    for index, handler in enumerate(handlers):
        registered = command.parse(handler.get("command")) if isinstance(handler, dict) else None
        if registered and registered.harness == harness:
            yield Entry((*path, "hooks", index), event, registered, handler)


def wire(data: bytes | None, shape: Shape, registered: str) -> Rewrite:
    """Our entry once per wanted event: kept where it is, renewed in place, or appended last."""
    created: list[Created] = []
    for event in shape.events:
        wanted = shape.handler(registered)
        edited = _wire_event(data or b"", shape, event, wanted)
        data, created = edited.data, [*created, *edited.created]
    return Rewrite(data, tuple(created))


def _wire_event(data: bytes, shape: Shape, event: str, wanted: dict[str, Any]) -> Rewrite:
    document = json_document.parse(data, shape.rules, shape.name)
    document.get(("hooks", event))
    ours = [entry for entry in entries(document, shape.harness) if entry.event == event]
    if not ours:
        edited = json_document.append(document, ("hooks", event), {"hooks": [wanted]})
        return Rewrite(edited.data, edited.created)
    for extra in reversed(ours[1:]):
        data = _without(data, shape, extra, ()).data or b""
    if ours[0].handler != wanted:
        document = json_document.parse(data, shape.rules, shape.name)
        data = json_document.set_value(document, ours[0].path, wanted).data
    return Rewrite(data)


def unwire(data: bytes | None, created: tuple[Created, ...], shape: Shape) -> Rewrite:
    """Take every entry of ours out, last one first, and nothing else."""
    if data is None:
        return Rewrite(None)
    document = json_document.parse(data, shape.rules, shape.name)
    for entry in reversed(list(entries(document, shape.harness))):
        data = _without(data or b"", shape, entry, created).data
    return Rewrite(data)


def _without(data: bytes, shape: Shape, entry: Entry, created: tuple[Created, ...]) -> Rewrite:
    """A group that holds nothing but our handler is ours; of a shared one only the handler is."""
    document = json_document.parse(data, shape.rules, shape.name)
    group_path = entry.path[:-2]
    group = document.get(group_path)
    alone = set(group) == {"hooks"} and len(group["hooks"]) == 1
    path = group_path if alone else entry.path
    return Rewrite(json_document.remove(document, path, created).data)


def snippet(shape: Shape, registered: str) -> str:
    """What a person pastes where we must not write."""
    group = {"hooks": [shape.handler(registered)]}
    return json.dumps({"hooks": {event: [group] for event in shape.events}}, indent=2)
