"""TOML settings, edited as text and proven with tomllib; the names are those of json_document.

What cannot be proven is refused with the lines to paste: a refusal costs a minute, a lost hook or a
file that no longer loads costs the user's day. (tomlkit loses items of arrays of tables whose parts
are apart, and its inline arrays can turn invalid, so it is no part of this.)
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Refusal
from . import brackets
from .nodes import Node
from .text import has_line_end, line_end_near, line_indent
from .toml_places import cut, new_block, new_pair
from .toml_reading import Document, Rules, findings, parse
from .toml_scanner import Statement
from .toml_values import (
    as_read,
    block,
    inline,
    key_text,
    lookup,
    same,
    with_value,
    without,
)
from .values import Created, Edited, KeyPath, TextEdit, Value
from .verify import difference, verified_edit

__all__ = [
    "Document",
    "Edited",
    "Rules",
    "append",
    "findings",
    "parse",
    "remove",
    "replace",
    "set_value",
    "snippet",
]


def append(document: Document, path: KeyPath, value: Value) -> Edited[Document]:
    """Put `value` at the end of the array at `path`: a table as a block, or inline into an array."""
    document.expect(list, path)
    return _add(document, path, None, value)


def set_value(document: Document, path: KeyPath, value: Value) -> Edited[Document]:
    """Set what stands at `path`; a dict becomes a table of its own, of which all keys are set."""
    if document.has(path):
        return replace(document, path, value)
    *inside, key = path
    if not isinstance(key, str):
        raise document.missing(path)
    return _add(document, tuple(inside), key, value)


def replace(document: Document, path: KeyPath, value: Value) -> Edited[Document]:
    """Change what stands at `path`, of a table only the keys that differ."""
    there, old = lookup(document.value, path)
    if not there:
        raise document.missing(path)
    expected = with_value(document.value, path, as_read(value))
    if same(old, as_read(value)):
        return _proven(document, [], expected, "")
    base, nodes = document.inside_pair(path)
    if nodes and len(base) + len(nodes) > len(path):
        pieces = [TextEdit(nodes[-1].start, nodes[-1].end, inline(value))]
        return _proven(document, pieces, expected, f"{key_text(path)} = {inline(value)}\n")
    key = path[-1]
    to_paste = _to_paste(path[:-1], key if isinstance(key, str) else None, value)
    if nodes or type(old) is not type(value):
        raise _unproven(document, to_paste)
    return _proven(document, _rewritten(document, path, value), expected, to_paste)


def remove(document: Document, path: KeyPath, created: Sequence[Created] = ()) -> Edited[Document]:
    """Take out what stands at `path`, and the `created` tables and arrays that are empty then."""
    if not path or not document.has(path):
        raise document.missing(path)
    if found := document.below(path):
        return _remove_statements(document, path, found, created)
    return _remove_member(document, path, created)


def snippet(path: KeyPath, value: Value) -> str:
    """The lines that put the table `value` into the array at `path`: what to paste."""
    return _lines(path, value, is_item=True)


def _add(document: Document, inside: KeyPath, key: str | None, value: Value) -> Edited[Document]:
    """A new member (an item where `key` is None) of what stands at `inside`, or will."""
    for depth in range(len(inside)):
        document.expect(dict if isinstance(inside[depth], str) else list, inside[:depth])
    if key is not None:
        document.expect(dict, inside)
    step = len(document.get(inside, ())) if key is None else key
    expected = with_value(document.value, (*inside, step), as_read(value))
    base, nodes = document.inside_pair(inside)
    if nodes:
        pieces, created = _put_inline(base, nodes, inside, key, value)
    else:
        pieces, created = _put_lines(document, inside, key, value)
    text = document.source.text
    if document.is_blank:
        line_end = line_end_near(text, 0)
        pieces = [TextEdit(0, len(text), pieces[0].new.lstrip("\r\n") + line_end)]
        created = (Created((), text), *created)
    return _proven(document, pieces, expected, _to_paste(inside, key, value), created)


def _put_lines(
    document: Document, inside: KeyPath, key: str | None, value: Value
) -> tuple[list[TextEdit], tuple[Created, ...]]:
    found = document.statements
    if key is None:
        if not isinstance(value, dict):
            raise _unproven(document, _to_paste(inside, key, value))
        return new_block(found, inside, value, is_item=True), ()
    path = (*inside, key)
    if isinstance(value, dict) and value:
        return new_block(found, path, value, is_item=False), ()
    pieces = new_pair(found, path, value)
    if pieces is not None:
        return pieces, ()
    return new_block(found, inside, {key: value}, is_item=False), (Created(inside),)


def _put_inline(
    base: KeyPath, nodes: Sequence[Node], inside: KeyPath, key: str | None, value: Value
) -> tuple[list[TextEdit], tuple[Created, ...]]:
    depth = len(base) + len(nodes) - 1
    created = tuple(Created(inside[:end]) for end in range(depth + 1, len(inside) + 1))
    if depth < len(inside):
        inner = [value] if key is None else {key: value}
        for step in reversed(inside[depth + 1 :]):
            inner = {str(step): inner}
        key, value = str(inside[depth]), inner
    node = nodes[-1]
    member = inline(value) if key is None else f"{key_text((key,))} = {inline(value)}"
    text = node.scan.text
    if last := node.last_member:
        new_line = line_end_near(text, node.end) + line_indent(text, last.start)
        return brackets.append_member(
            node, member, new_line if node.is_multi_line else " ", new_line
        ), created
    pad = " " if node.kind == "object" else ""
    before = behind = pad
    if has_line_end(node.text):
        behind = line_end_near(text, node.end) + line_indent(text, node.start)
        before = behind + "  "
    return brackets.insert_first(node, member, before, behind), (
        Created(inside[:depth], node.text),
        *created,
    )


def _rewritten(document: Document, path: KeyPath, value: Value) -> list[TextEdit]:
    """The edits of what stands under headers, key by key if it is a table, as one piece."""
    after = document
    if isinstance(value, dict):
        for key in document.get(path).keys() - value.keys():
            after = remove(after, (*path, key)).document
        for key, item in value.items():
            after = set_value(after, (*path, key), item).document
    else:
        after = set_value(remove(after, path).document, path, value).document
    return [difference(document.source.text, after.source.text)]


def _remove_statements(
    document: Document, path: KeyPath, gone: list[Statement], created: Sequence[Created]
) -> Edited[Document]:
    found = document.statements
    for table in [made.path for made in created if made.before is None]:
        own = [other for other in found.all if table in (other.table, other.path)]
        if all(other in gone for other in own if other.kind == "pair"):
            gone = [*gone, *(other for other in own if other not in gone)]
    kept = [other for other in found.all if other not in gone]
    was = {made.path: made.before for made in created}.get(())
    if was is not None and not kept and not found.scan.comments:
        return _proven(document, [TextEdit(0, len(document.source.text), was)], {}, "")
    expected = without(document.value, path)
    for parent in (path[:depth] for depth in range(len(path) - 1, 0, -1)):
        defined = any(other.path[: len(parent)] == parent for other in kept)
        if not defined and not lookup(expected, parent)[1]:
            expected = without(expected, parent)
    return _proven(document, cut(found, gone), expected, "")


def _remove_member(
    document: Document, path: KeyPath, created: Sequence[Created]
) -> Edited[Document]:
    before = {made.path: made.before for made in created}
    base, nodes = document.inside_pair(path)
    depth, top = len(path), len(base)
    if top + len(nodes) <= depth:
        raise _unproven(document, "")  # a dotted key inside an inline table
    while depth > top and before.get(path[: depth - 1], "") is None:
        if not brackets.only_holds(nodes[depth - top - 1], nodes[depth - top]):
            break
        depth -= 1
    if depth == top:
        return _remove_statements(document, base, document.below(base), created)
    parent, node = nodes[depth - top - 1 : depth - top + 1]
    index = [member.node.first for member in parent.members].index(node.first)
    pieces = brackets.remove_member(parent, index)
    if len(parent.members) == 1:
        pieces = brackets.emptied(parent, pieces, before.get(path[: depth - 1]))
    return _proven(document, pieces, without(document.value, path[:depth]), "")


def _to_paste(inside: KeyPath, key: str | None, value: Value) -> str:
    if key is None and isinstance(value, dict):
        return snippet(inside, value)
    if key is None:
        return _to_paste(inside[:-1], str(inside[-1]), [value])
    if isinstance(value, dict):
        return _lines((*inside, key), value, is_item=False)
    return _lines(inside, {key: value}, is_item=False)


def _lines(path: KeyPath, value: Value, *, is_item: bool) -> str:
    lines = block(path, value, is_item=is_item, equals=" = ")
    return "".join(line + "\n" for line in lines)


def _proven(
    document: Document,
    pieces: Sequence[TextEdit],
    expected: Value,
    to_paste: str,
    created: tuple[Created, ...] = (),
) -> Edited[Document]:
    """Apply the pieces if the file then says exactly what was meant, else refuse."""
    try:
        data, splice = verified_edit(document.source, pieces)
        after = parse(data, document.rules, document.source.name)
    except (Refusal, UnicodeEncodeError) as error:
        raise _unproven(document, to_paste) from error
    if not same(after.value, expected):
        raise _unproven(document, to_paste)
    return Edited(data, created, splice, after)


def _unproven(document: Document, to_paste: str) -> Refusal:
    return Refusal(
        f"{document.source.name} is written in a way in which no edit can be proven right",
        code="toml-unproven",
        fix=f"Put this in by hand:\n{to_paste}" if to_paste else "Take it out by hand.",
    )
