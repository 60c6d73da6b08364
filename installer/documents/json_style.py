"""How the neighbours of an edit are laid out, and a value written down the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import NamedTuple

from .json_values import scalar_lexeme
from .nodes import Member, Node
from .text import line_indent
from .values import Value

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
    near = list(_neighbours(nodes))
    colon = _first(starmap(_colon, near), ": ")
    spaced = ", " if colon.endswith((" ", "\t")) else ","
    pads = {
        kind: _first((_pad(node) for node, _ in near if node.kind == kind), "") for kind in BRACKETS
    }
    return Style(
        _first(starmap(_unit, near), "  "),
        line_end,
        colon,
        _first(starmap(_comma, near), spaced),
        pads["object"],
        pads["array"],
    )


def write(value: Value, style: Style, layout: Layout, model: Node | None = None) -> str:
    """The value as JSON text, shaped like `model` where that has the same containers."""
    kind = kind_of(value)
    if kind == "scalar":
        return scalar_lexeme(value)
    opening, closing = BRACKETS[kind]
    if not value:
        return opening + closing
    if model is not None and (model.kind != kind or not model.last_member):
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
        last = model.last_member if model else None
        like = last.node if last else None
        for item in value:
            yield write(item, style, layout, like)


def _neighbours(nodes: Sequence[Node]) -> Iterator[tuple[Node, Member]]:
    """Containers around a place with their last members: a node, its last children, its parent."""
    for start in reversed(nodes):
        node = start
        for _ in range(4):
            if node.last_member is None:
                break
            yield node, node.last_member
            node = node.last_member.node


def _first(found: Iterator[str | None], default: str) -> str:
    return next((text for text in found if text is not None), default)


def _unit(node: Node, last: Member) -> str | None:
    text = node.scan.text
    outer = line_indent(text, node.start)
    inner = line_indent(text, last.start)
    deeper = node.is_multi_line and inner.startswith(outer) and inner != outer
    return inner[len(outer) :] if deeper else None


def _colon(node: Node, last: Member) -> str | None:
    text = node.scan.text[last.key_end : last.node.start]
    return text if COLON.fullmatch(text) else None


def _comma(node: Node, last: Member) -> str | None:
    gap = node.gap_before(last)
    is_only = last.start - len(gap) == node.start + 1
    return "," + gap if not is_only and BLANKS.fullmatch(gap) else None


def _pad(node: Node) -> str | None:
    first, _ = node.scan.spans[node.first + 1]
    gap = node.scan.text[node.start + 1 : first]
    return gap if BLANKS.fullmatch(gap) else None
