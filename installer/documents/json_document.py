"""JSON and JSONC settings, edited by one splice in the style of its surroundings.

All other bytes stay, `remove` is the exact inverse of `append`, and every edit is proven before it
is handed back: a failed proof is a bug and raises ProofFailed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import Refusal
from . import brackets
from .brackets import only_holds
from .json_reading import Document, findings, parse, read
from .json_rules import Rules
from .json_style import (
    Layout,
    Style,
    kind_of,
    member_text,
    style_near,
    write,
)
from .json_values import tokens_of
from .nodes import Member, Node
from .text import has_line_end, line_end_near, line_indent
from .values import (
    Created,
    Edited,
    KeyPath,
    TextEdit,
    Value,
    VerificationError,
)
from .verify import verified_edit

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
    """Put `value` at the end of the array at `path`; what is missing on the way is created."""
    return _add(document, path, None, value)


def set_value(document: Document, path: KeyPath, value: Value) -> Edited[Document]:
    """Set the member at `path` (which ends in a key, unless something is there already)."""
    if document.has(path):
        return replace(document, path, value)
    *inside, key = path
    if not isinstance(key, str):
        raise document.missing(path)
    return _add(document, tuple(inside), key, value)


def replace(document: Document, path: KeyPath, value: Value) -> Edited[Document]:
    """Change what stands at `path`; of a container only the part that differs, where it is one."""
    if not document.has(path):
        raise document.missing(path)
    nodes, changed = _narrowed(document.follow(path), value)
    if nodes[-1].tokens == list(tokens_of(changed)):
        return _proven(document, [], document.scan.tokens)
    node, text = nodes[-1], document.source.text
    style = style_near(nodes, line_end_near(text, node.end))
    around = nodes[-2:-1]
    wide = has_line_end(node.text) if node.last_member else any(up.is_multi_line for up in around)
    written = write(changed, style, Layout(line_indent(text, node.start), wide), node)
    tokens = _replaced(document, node.first, node.last, tokens_of(changed))
    return _proven(document, [TextEdit(node.start, node.end, written)], tokens)


def remove(document: Document, path: KeyPath, created: Sequence[Created] = ()) -> Edited[Document]:
    """Take out what stands at `path`, and the `created` containers that are empty then."""
    if not path or not document.has(path):
        raise document.missing(path)
    before = {made.path: made.before for made in created}
    nodes, depth = document.follow(path), len(path)
    while before.get(path[: depth - 1], "") is None and only_holds(nodes[depth - 1], nodes[depth]):
        depth -= 1
    parent, node, was = nodes[depth - 1], nodes[depth], before.get(path[: depth - 1])
    if was is not None and not was.strip() and _is_all(document, parent, node):
        return _proven(document, [TextEdit(0, len(document.source.text), was)], [])
    index = [member.node.first for member in parent.members].index(node.first)
    pieces = brackets.remove_member(parent, index)
    if len(parent.members) == 1:
        pieces = brackets.emptied(parent, pieces, was)
    first = node.first - (parent.kind == "object")
    return _proven(document, pieces, _replaced(document, first, node.last, ()))


def snippet(path: KeyPath, value: Value) -> str:
    """A whole file with `value` in the array at `path`: what to paste where editing is refused."""
    return write(_nested(path, [value]), Style(), Layout("", multi_line=True)) + "\n"


def _add(document: Document, inside: KeyPath, key: str | None, value: Value) -> Edited[Document]:
    """A new member (an item where `key` is None) at the end of the container at `inside`."""
    if document.is_blank:
        return _create(document, inside, key, value)
    nodes = document.follow(inside)
    missing = inside[len(nodes) - 1 :]
    wanted = "object" if missing or key is not None else "array"
    document.expect(wanted, nodes, inside[: len(nodes) - 1])
    created = tuple(Created(inside[:depth]) for depth in range(len(nodes), len(inside) + 1))
    if missing:
        inner = [value] if key is None else {key: value}
        key, value = str(missing[0]), _nested(missing[1:], inner)
    node = nodes[-1]
    if last := node.last_member:
        pieces = _behind_last(nodes, last, key, value)
    else:
        pieces = _into_empty(nodes, key, value)
        created = (Created(inside[: len(nodes) - 1], node.text), *created)
    tokens = [] if key is None else [f'"{key}"']
    tokens += tokens_of(value)
    end = node.last - 1
    return _proven(document, pieces, _replaced(document, end, end, tokens), created)


def _create(document: Document, inside: KeyPath, key: str | None, value: Value) -> Edited[Document]:
    """The first value of a blank file, in the normal form."""
    text = document.source.text
    style = Style(line_end=line_end_near(text, 0))
    whole = _nested(inside, [value] if key is None else {key: value})
    written = write(whole, style, Layout("", multi_line=True)) + style.line_end
    created = [Created(inside[:depth]) for depth in range(1, len(inside) + 1)]
    pieces = [TextEdit(0, len(text), written)]
    return _proven(document, pieces, list(tokens_of(whole)), (Created((), text), *created))


def _behind_last(
    nodes: Sequence[Node], last: Member, key: str | None, value: Value
) -> list[TextEdit]:
    node, text = nodes[-1], nodes[-1].scan.text
    style = style_near(nodes, line_end_near(text, last.node.end))
    layout = Layout(line_indent(text, last.start), node.is_multi_line)
    # The members of a whole file are too unlike each other to be models.
    alike = key is None or len(nodes) > 1
    written = write(value, style, layout, last.node if alike else None)
    new_line = style.line_end + layout.indent
    separator = new_line if layout.multi_line else style.comma[1:]
    return brackets.append_member(node, member_text(key, written, style), separator, new_line)


def _into_empty(nodes: Sequence[Node], key: str | None, value: Value) -> list[TextEdit]:
    node, text = nodes[-1], nodes[-1].scan.text
    style = style_near(nodes, line_end_near(text, node.end))
    wide = len(nodes) == 1 or nodes[-2].is_multi_line or has_line_end(node.text)
    outer = line_indent(text, node.start)
    indent = outer + style.unit if wide else outer
    written = write(value, style, Layout(indent, wide))
    before, behind = style.line_end + indent, style.line_end + outer
    if not wide:
        before = behind = style.pad(node.kind)
    return brackets.insert_first(node, member_text(key, written, style), before, behind)


def _narrowed(nodes: list[Node], value: Value) -> tuple[list[Node], Value]:
    """Follow the only difference between the node and the value as far as there is just one."""
    while True:
        node = nodes[-1]
        if node.kind == "scalar" or node.kind != kind_of(value):
            return nodes, value
        if len(node.members) != len(value):
            return nodes, value
        keys = [member.key for member in node.members]
        if node.kind == "object" and keys != list(value):
            return nodes, value
        items = list(value.values() if node.kind == "object" else value)
        pairs = zip(node.members, items, strict=True)
        changed = [(m.node, item) for m, item in pairs if m.node.tokens != list(tokens_of(item))]
        if len(changed) != 1:
            return nodes, value
        child, value = changed[0]
        nodes = [*nodes, child]


def _nested(path: KeyPath, value: Value) -> Value:
    for step in reversed(path):
        value = {str(step): value}
    return value


def _replaced(document: Document, first: int, last: int, tokens: Iterable[str]) -> list[str]:
    old = document.scan.tokens
    return [*old[:first], *tokens, *old[last:]]


def _is_all(document: Document, root: Node, node: Node) -> bool:
    """Whether the file holds nothing but this member of its root, not even a comment beside it."""
    inside = document.scan.comments_between(root.start, root.end)
    return only_holds(root, node) and len(inside) == len(document.scan.comments)


def _proven(
    document: Document,
    pieces: Sequence[TextEdit],
    tokens: list[str],
    created: tuple[Created, ...] = (),
) -> Edited[Document]:
    """Apply the pieces, and check that the file now says exactly what was meant."""
    source = document.source
    data, splice = verified_edit(source, pieces)
    try:
        after = read(data, document.rules, source.name)
    except Refusal as refused:
        raise VerificationError(f"the new text would be refused: {refused.text}") from refused
    if after.scan.tokens != tokens:
        raise VerificationError(
            f"{source.name}: the new values are not the old ones and the change"
        )
    return Edited(data, created, splice, after)
