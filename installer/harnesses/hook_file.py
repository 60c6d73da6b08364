"""Settings files with hooks per event: find our entries, add or renew them, take them out.

nested: {"hooks": {"PreToolUse": [{"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}]}}
flat:   {"version": 1, "hooks": {"preToolUse": [{"matcher": "...", "command": "..."}]}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .. import launch_command
from ..documents import json_document
from ..documents.values import Created, Edited, KeyPath, Value
from ..machine import Machine
from ..plan import Rewrite

EVERY_TOOL = (None, "", "*")  # matchers that mean the same as none at all
VERSION: KeyPath = ("version",)
INERT = {"type": "command", "command": ""}  # keeps a position in a group that is not ours alone


class Editor(Protocol):
    """What json_document and toml_document offer alike."""

    def parse(self, data: bytes, rules: Any, name: str) -> Any: ...

    def append(self, document: Any, path: KeyPath, value: Value) -> Edited[Any]: ...

    def set_value(self, document: Any, path: KeyPath, value: Value) -> Edited[Any]: ...

    def remove(self, document: Any, path: KeyPath, created: Sequence[Created]) -> Edited[Any]: ...


class Shape(NamedTuple):
    """How a harness keeps hooks: `handler` makes our entry of a command, `events` is where it goes.

    `harness` is the word that ends our command. `positional`: the harness knows hooks by their place,
    so nobody else's may move. `bare`: events whose list holds handlers and no groups. `version`: what
    the file must say beside its hooks. `once`: events that are not wanted now, but may be, or were; in
    others our command is the user's own doing. Of those that are `unwanted` our entries are taken out:
    an installed release does not take them.
    """

    harness: str
    name: str  # of the file, for messages
    rules: Any  # the editor's
    events: tuple[str, ...]
    handler: Callable[[str], dict[str, Any]]
    editor: Editor = json_document
    positional: bool = False
    flat: bool = False
    bare: tuple[str, ...] = ()
    version: int | None = None
    once: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    same_place: Callable[[object], bool] = lambda _: False  # see launch_command, as of the next
    of_another_home: Callable[[Path], bool] = lambda _: False

    def parse(self, data: bytes) -> Any:
        return self.editor.parse(data, self.rules, self.name)

    def is_bare(self, event: str) -> bool:
        return self.flat or event in self.bare

    def is_equal(self, handler: dict[str, Any], wanted: dict[str, Any]) -> bool:
        """Does it differ in nothing but how the launcher's place is written?"""
        rest = {**handler, "command": wanted.get("command")}
        return rest == wanted and self.same_place(handler.get("command"))

    def item(self, event: str, handler: dict[str, Any]) -> dict[str, Any]:
        """What stands in the list of an event."""
        return handler if self.is_bare(event) else {"hooks": [handler]}


def at_home(machine: Machine, shape: Shape) -> Shape:
    """The same, and which entries are this machine's is known."""
    return shape._replace(
        same_place=partial(launch_command.same_place, machine=machine),
        of_another_home=partial(launch_command.of_another_home, machine),
    )


class Entry(NamedTuple):
    """An entry of ours in a document: where, for which event, and its handler as it stands there."""

    path: KeyPath
    event: str
    registered: launch_command.Registered
    handler: dict[str, Any]

    @property
    def in_group(self) -> bool:
        """Not directly in the list of the event."""
        return len(self.path) > 3


def changed(document: Any) -> Iterator[tuple[str, KeyPath, str]]:
    """(event, place, command) of what starts our launcher in a form that no setup has written."""
    hooks = document.value.get("hooks") if isinstance(document.value, dict) else None
    for event, items in (hooks if isinstance(hooks, dict) else {}).items():
        for index, item in enumerate(items if isinstance(items, list) else []):
            for path, handler in _handlers(item, ("hooks", event, index)):
                if launch_command.is_changed(handler.get("command")):
                    yield event, path, str(handler["command"])


def entries(document: Any, harness: str) -> Iterator[Entry]:
    """Ours are those whose command parses to a launcher and this harness, for every tool.

    The same command bound to a narrower matcher is the user's own doing and is left alone.
    """
    hooks = document.value.get("hooks") if isinstance(document.value, dict) else None
    for event, items in (hooks if isinstance(hooks, dict) else {}).items():
        for index, item in enumerate(items if isinstance(items, list) else []):
            for path, handler in _handlers(item, ("hooks", event, index)):
                registered = launch_command.parse(handler.get("command"))
                if registered and registered.harness == harness:
                    yield Entry(path, event, registered, handler)


def own_entries(document: Any, shape: Shape) -> list[Entry]:
    """Those that setup renews and uninstall takes out; what another home has put there is its own."""
    found = entries(document, shape.harness)
    return [entry for entry in found if not shape.of_another_home(entry.registered.launcher)]


def _handlers(item: Any, path: KeyPath) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """Those of a group, or the item itself; only what is run for every tool."""
    if not isinstance(item, dict) or item.get("matcher") not in EVERY_TOOL:
        return
    if "commandRegex" in item:  # Droid's narrower matcher
        return
    group = item.get("hooks")
    if not isinstance(group, list):
        yield path, item
        return
    for index, handler in enumerate(group):
        if isinstance(handler, dict):
            yield (*path, "hooks", index), handler


def without_unwanted(data: bytes | None, shape: Shape) -> bytes | None:
    """Our entries taken out where an older release would stumble over them."""
    if not data or not shape.unwanted:
        return data
    created = tuple(Created(("hooks", event)) for event in shape.unwanted)
    return _without_events(data, shape, shape.unwanted, created)


def install_entry(data: bytes | None, shape: Shape, registered: str) -> Rewrite:
    """Our entry once per wanted event: kept where it is, renewed in place, or appended last."""
    data, created = _versioned(data or b"", shape)
    for event in shape.events:
        wanted = shape.handler(registered)
        edited = _wire_event(data or b"", shape, event, wanted)
        data, created = edited.data, (*created, *edited.created)
    return Rewrite(data, created)


def _versioned(data: bytes, shape: Shape) -> Rewrite:
    document = shape.parse(data)
    if shape.version is None or document.has(VERSION):
        return Rewrite(data)
    edited = shape.editor.set_value(document, VERSION, shape.version)
    return Rewrite(edited.data, (*edited.created, Created(VERSION)))


def _wire_event(data: bytes, shape: Shape, event: str, wanted: dict[str, Any]) -> Rewrite:
    document = shape.parse(data)
    document.get(("hooks", event))
    found = [entry for entry in own_entries(document, shape) if entry.event == event]
    ours = [entry for entry in found if entry.in_group is not shape.is_bare(event)]
    if not ours:
        return _add(document, shape, ("hooks", event), wanted)
    for extra in reversed(ours[1:]):
        data = _without(data, shape, extra, ()).data or b""
    if ours[0].handler != wanted and not shape.is_equal(ours[0].handler, wanted):
        data = shape.editor.set_value(shape.parse(data), ours[0].path, wanted).data
    return Rewrite(data)


def _add(document: Any, shape: Shape, event: KeyPath, wanted: dict[str, Any]) -> Rewrite:
    """In a group of its own: the last one, or the inert one that an earlier removal has left."""
    groups = document.get(event) if shape.positional else None
    vacant = [index for index, group in enumerate(groups or ()) if group in ({"hooks": []}, {})]
    if vacant:
        edited = shape.editor.append(document, (*event, vacant[0], "hooks"), wanted)
    else:
        edited = shape.editor.append(document, event, shape.item(str(event[-1]), wanted))
    return Rewrite(edited.data, edited.created)


def remove_entry(data: bytes | None, created: tuple[Created, ...], shape: Shape) -> Rewrite:
    """Take every entry of ours out, last one first, and nothing else."""
    if data is None:
        return Rewrite(None)
    left = _without_events(data, shape, (*shape.events, *shape.once), created)
    return Rewrite(_unversioned(left, shape, created))


def _without_events(
    data: bytes, shape: Shape, bound: tuple[str, ...], created: tuple[Created, ...]
) -> bytes:
    found = [entry for entry in own_entries(shape.parse(data), shape) if entry.event in bound]
    for entry in reversed(found):
        data = _without(data, shape, entry, created).data or b""
    return data


def _unversioned(data: bytes, shape: Shape, created: tuple[Created, ...]) -> bytes:
    """Hooks that came since setup would be void without the version, so it stays with them."""
    if Created(VERSION) not in created:
        return data
    document = shape.parse(data)
    if document.get(("hooks",)) or not document.has(VERSION):
        return data
    return shape.editor.remove(document, VERSION, created).data


def _without(data: bytes, shape: Shape, entry: Entry, created: tuple[Created, ...]) -> Rewrite:
    """A group that holds nothing but our handler is ours; of a shared one only the handler is."""
    document = shape.parse(data)
    if not entry.in_group:
        return Rewrite(_without_item(document, shape, entry.path, created).data)
    group_path, place = entry.path[:-2], entry.path[-1]
    group = document.get(group_path)
    if shape.positional and place != len(group["hooks"]) - 1:
        return Rewrite(shape.editor.set_value(document, entry.path, INERT).data)
    alone = set(group) == {"hooks"} and len(group["hooks"]) == 1
    stays = shape.positional and _must_stay(document, group_path, created)
    path = group_path if alone and not stays else entry.path
    return Rewrite(shape.editor.remove(document, path, created).data)


def _without_item(
    document: Any, shape: Shape, path: KeyPath, created: tuple[Created, ...]
) -> Edited[Any]:
    if shape.positional and _must_stay(document, path, created):
        return shape.editor.set_value(document, path, {"hooks": []})
    return shape.editor.remove(document, path, created)


def _must_stay(document: Any, group: KeyPath, created: tuple[Created, ...]) -> bool:
    """Others come behind it, or it was there before us."""
    *event, index = group
    was_there = (*group, "hooks") in [made.path for made in created]
    return was_there or index != len(document.get(tuple(event))) - 1


def snippet(shape: Shape, registered: str) -> str:
    """What a person pastes where we must not write."""
    handler = shape.handler(registered)
    version = {} if shape.version is None else {"version": shape.version}
    hooks = {event: [shape.item(event, handler)] for event in shape.events}
    return json.dumps({**version, "hooks": hooks}, indent=2)
