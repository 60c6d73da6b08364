"""How the neighbours of an edit are laid out, and a value written down the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from runaway.installer.documents.json_values import scalar_lexeme
from runaway.installer.documents.nodes import Node
from runaway.installer.documents.text import line_indent
from runaway.installer.documents.values import Value

BLANKS = re.compile(r"[ \t]*")
COLON = re.compile(r"[ \t]*:[ \t]*")
BRACKETS = {"object": ("{", "}"), "array": ("[", "]")}


class Style(NamedTuple):
    """`comma` and the pads (inside `{}` and `[]`) are those of containers on one line."""

    unit: str = "  "
    line_end: str = "\n"
    colon: str = ": "
    comma: str = ", "
    object_pad: str = ""
    array_pad: str = ""

    def pad(self, kind: str) -> str:
        return self.object_pad if kind == "object" else self.array_pad


class Layout(NamedTuple):
    """Where a value is written: the indent of its line, and whether it may take several lines."""

    indent: str
    multi_line: bool


def style_near(nodes: Sequence[Node], line_end: str) -> Style:
    """The style around the last of `nodes`, which lead there from the root: the closest wins."""
    colon = _first(map(_colon, _neighbours(nodes)), ": ")
    spaced = ", " if colon.endswith((" ", "\t")) else ","
    return Style(
        _first(map(_unit, _neighbours(nodes)), "  "),
        line_end,
        colon,
        _first(map(_comma, _neighbours(nodes)), spaced),
        _first(map(_pad, _neighbours(nodes, "object")), ""),
        _first(map(_pad, _neighbours(nodes, "array")), ""),
    )


def write(value: Value, style: Style, layout: Layout, model: Node | None = None) -> str:
    """The value as JSON text, shaped like `model` where that has the same containers."""
    kind = kind_of(value)
    if kind == "scalar":
        return scalar_lexeme(value)
    opening, closing = BRACKETS[kind]
    if not value:
        return opening + closing
    if model is not None and (model.kind != kind or not model.members):
        model = None
    multi_line = model.is_multi_line if model else layout.multi_line
    inside = Layout(layout.indent + style.unit if multi_line else layout.indent, multi_line)
    items = list(_items(value, style, inside, model))
    if not multi_line:
        pad = style.pad(kind)
        return opening + pad + style.comma.join(items) + pad + closing
    line = style.line_end + inside.indent
    tail = "," if model and model.trailing_comma else ""
    end = tail + style.line_end + layout.indent + closing
    return opening + line + ("," + line).join(items) + end


def member_text(key: str | None, text: str, style: Style) -> str:
    return text if key is None else scalar_lexeme(key) + style.colon + text


def kind_of(value: Value) -> str:
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list | tuple) else "scalar"


def _items(value: Value, style: Style, layout: Layout, model: Node | None) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            alike = model.named(key) if model else ()
            text = write(item, style, layout, alike[0].node if alike else None)
            yield member_text(key, text, style)
    else:
        like = model.members[-1].node if model else None
        for item in value:
            yield write(item, style, layout, like)


def _neighbours(nodes: Sequence[Node], kind: str = "") -> Iterator[Node]:
    """The containers with members around a place: each node, its last children, its parent ..."""
    for start in reversed(nodes):
        node = start
        for _ in range(4):
            if not node.members:
                break
            if kind in ("", node.kind):
                yield node
            node = node.members[-1].node


def _first(found: Iterator[str | None], default: str) -> str:
    return next((text for text in found if text is not None), default)


def _unit(node: Node) -> str | None:
    text = node.scan.text
    outer = line_indent(text, node.start)
    inner = line_indent(text, node.members[-1].start)
    deeper = node.is_multi_line and inner.startswith(outer) and inner != outer
    return inner[len(outer) :] if deeper else None


def _colon(node: Node) -> str | None:
    last = node.members[-1]
    text = node.scan.text[last.key_end : last.node.start]
    return text if COLON.fullmatch(text) else None


def _comma(node: Node) -> str | None:
    blanks = node.gap()
    return "," + blanks if len(node.members) > 1 and BLANKS.fullmatch(blanks) else None


def _pad(node: Node) -> str | None:
    blanks = node.gap(0)
    return blanks if BLANKS.fullmatch(blanks) else None
