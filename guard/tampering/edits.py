"""Tools that change files: which file, and what it would hold afterwards, whatever the tool's name."""

from __future__ import annotations

from ..wires.tamper import FILES, FROM, PATCHES, TO
from .places import MAX_SETTINGS_BYTES, OWN, contents
from .settings import disarms, loses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

    from .places import Places

    # A path, and what is written there: all of it, or (old, new, everywhere) in turn; neither: it goes.
    Change = tuple[str, Optional[str], Optional[list[tuple[str, str, bool]]]]

WHOLE = ("content", "file_text", "contents", "new_source", "fileText")
OLD = ("old_string", "oldString", "old_str", "oldText", "oldStr", "old_text", "search")
NEW = (
    *("new_string", "newString", "new_str", "newText", "newStr", "new_text", "replace"),
    "insert_text",
)
EVERYWHERE = ("replace_all", "replaceAll", "allow_multiple")
REMOVING = ("delete", "remove", "unlink", "trash")
MOVING = ("move", "rename")
BEGIN = "*** Begin Patch"
MAX_EDITS = 200  # edits, files or hunks of one call


def changes(tool: str, arguments: Any) -> Iterator[Change]:
    """None of a call that only reads, or that works on another machine."""
    patch = arguments if isinstance(arguments, str) else _first(arguments, PATCHES)
    if patch and BEGIN in patch:
        yield from patched(patch)
    elif isinstance(arguments, dict) and "repo" not in arguments:
        yield from _moves(tool.lower(), arguments)
        path = _first(arguments, FILES)
        if path:
            yield from _changes(tool.lower(), path, arguments)


def _moves(tool: str, arguments: dict[str, Any]) -> Iterator[Change]:
    """What was at either place goes."""
    if any(word in tool for word in MOVING):
        for place in (_first(arguments, FROM), _first(arguments, TO)):
            if place:
                yield place, None, None


def _changes(tool: str, path: str, arguments: dict[str, Any]) -> Iterator[Change]:
    whole, edits = _first(arguments, WHOLE), [*_edits(arguments)][:MAX_EDITS]
    if edits:
        yield path, None, edits
    elif whole is not None:
        yield path, whole, None
    elif any(word in tool for word in REMOVING):
        yield path, None, None


def _first(arguments: Any, names: tuple[str, ...]) -> str | None:
    found = (arguments.get(name) for name in names) if isinstance(arguments, dict) else ()
    return next((value for value in found if isinstance(value, str)), None)


def _edits(arguments: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Hooks drop an empty new text, which deletes."""
    listed = arguments.get("edits") or arguments.get("replacements")
    for one in (arguments, *(listed[:MAX_EDITS] if isinstance(listed, list) else ())):
        if isinstance(one, dict):
            old, new = _first(one, OLD), _first(one, NEW)
            if old is not None or new is not None:
                yield old or "", new or "", any(one.get(name) for name in EVERYWHERE)


def patched(patch: str) -> Iterator[Change]:
    """`*** Update File: PATH` before the hunks of each file, as Codex and others write it."""
    updated = ""
    for part in patch.split("\n*** ", MAX_EDITS)[1:]:
        named, _, hunks = part.partition("\n")
        action, _, path = named.partition(": ")
        path = path.strip()
        if action == "Move to":
            yield updated, None, None
        if action == "Add File":
            yield path, "\n".join(line[1:] for line in hunks.split("\n") if line[:1] == "+"), None
        elif action == "Update File":
            updated = path
            yield path, None, [*_hunks(hunks)]
        elif action == "Delete File":
            yield path, None, None


def _hunks(text: str) -> Iterator[tuple[str, str, bool]]:
    for hunk in ("\n" + text[:MAX_SETTINGS_BYTES]).split("\n@@", MAX_EDITS):
        lines = hunk.split("\n")[1:]
        old = "\n".join(line[1:] for line in lines if line[:1] in (" ", "-"))
        new = "\n".join(line[1:] for line in lines if line[:1] in (" ", "+"))
        if old != new:
            yield old, new, False


def tampers(changed: Iterator[Change], places: Places, cwd: str) -> bool:
    return any(_tampers(places, cwd, *change) for change in changed)


def _tampers(
    places: Places,
    cwd: str,
    path: str,
    whole: str | None,
    edits: list[tuple[str, str, bool]] | None,
) -> bool:
    goes = whole is None and edits is None
    found = places.at(path, cwd, itself=goes)
    kind = places.hit(found)
    added = whole or "".join(new for _, new, _ in edits or ())
    if places.facts.sets(found, added) or kind == OWN or (goes and kind):
        return True
    return places.is_settings(found) and _silences(places, found, whole, edits)


def _silences(
    places: Places, path: str, whole: str | None, edits: list[tuple[str, str, bool]] | None
) -> bool:
    facts = places.facts
    if path.endswith(facts.whole) and edits:
        return True
    before = contents(path)
    after = whole if edits is None else applied(before, edits)
    if after is None and edits:  # the old text is not there, or found by the tool's own rules
        removed, added = "".join(old for old, *_ in edits), "".join(new for _, new, _ in edits)
        return loses(facts, removed, added)
    return disarms(facts, path, before, after, wired=path in places.wired)


def applied(text: str | None, edits: list[tuple[str, str, bool]]) -> str | None:
    """None where an old text is not found."""
    for old, new, everywhere in edits:
        if text and old and old in text:
            text = text.replace(old, new) if everywhere else text.replace(old, new, 1)
        elif not text and not old:
            text = new
        else:
            return None
    return text
