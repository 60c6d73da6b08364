"""Members put into and taken out of a bracketed container, as pieces of text to replace.

Shared by JSON and by TOML's inline arrays and tables. Taking out is the inverse of putting in: the
blanks in front of a member belong to it, comments never do.
"""

from __future__ import annotations

import re

from .nodes import Node, Span
from .text import has_line_end
from .values import TextEdit
from .verify import apply

LINE_ENDS_HERE = re.compile(r"[ \t]*[\r\n]")


def append_member(node: Node, member: str, separator: str, new_line: str) -> list[TextEdit]:
    """Behind the last member and the comments that follow it; `separator` has no comma.

    `new_line` stands in for the separator where that would end up inside a line comment.
    """
    last = node.last_member
    assert last is not None
    comma = last.comma
    end = last.node.end if comma is None else comma + 1
    comments = _comments(node, end, node.end)
    at = comments[-1][1] if comments else end
    if comments and _ends_line(node, comments[-1]) and not has_line_end(separator):
        separator = new_line
    if comma is not None:
        return [TextEdit(at, at, separator + member + ",")]
    return _joined([TextEdit(end, end, ","), TextEdit(at, at, separator + member)])


def insert_first(node: Node, member: str, before: str, behind: str) -> list[TextEdit]:
    """Into a container without members; `before` and `behind` are the blanks around the member."""
    comments = _comments(node, node.start, node.end)
    at = comments[-1][1] if comments else node.start + 1
    return [TextEdit(at, node.end - 1, before + member + behind)]


def remove_member(node: Node, index: int) -> list[TextEdit]:
    """Remove one member with the blanks before it and one comma."""
    member, following = node.members[index], node.members[index + 1 : index + 2]
    if not index and following and not _comments(node, member.node.end, following[0].start):
        return [TextEdit(member.start, following[0].start)]
    body = TextEdit(_blanks_start(node, index), member.node.end)
    if member.comma is not None:
        pieces = _joined([body, TextEdit(member.comma, member.comma + 1)])
        return _spare_line_end(node, pieces, 0, member.start)
    comma = node.members[index - 1].comma if index else None
    if comma is None:
        return _spare_line_end(node, [body], 0, member.start)
    if body.start > comma + 1:
        return _spare_line_end(node, [TextEdit(comma, comma + 1), body], 1, member.start)
    return [TextEdit(comma, body.end)]


def emptied(node: Node, pieces: list[TextEdit], before: str | None) -> list[TextEdit]:
    """Extend the pieces that take out the only member: back to the text `before`, if it fits."""
    text = node.scan.text
    left = apply(text[: node.end], pieces)[node.start :]
    if before is not None and "".join(before.split()) == "".join(left.split()):
        return [TextEdit(node.start, node.end, before)]
    if left[1:-1].strip():
        return pieces
    return [TextEdit(node.start + 1, node.end - 1)]


def only_holds(node: Node, child: Node) -> bool:
    """Whether the container holds nothing but this child, not even a comment beside it."""
    comments = len(_comments(node, node.start, node.end))
    return len(node.members) == 1 and comments == len(_comments(node, child.start, child.end))


def _comments(node: Node, start: int, end: int) -> list[Span]:
    return node.scan.comments_between(start, end)


def _ends_line(node: Node, comment: Span) -> bool:
    return not node.scan.text.startswith("/*", comment[0])


def _blanks_start(node: Node, index: int) -> int:
    comma = node.members[index - 1].comma if index else None
    start = node.start if comma is None else comma
    comments = _comments(node, start, node.members[index].start)
    return comments[-1][1] if comments else start + 1


def _spare_line_end(node: Node, pieces: list[TextEdit], index: int, start: int) -> list[TextEdit]:
    """Keep the line end of a line comment before pieces[index] if no other one follows."""
    piece = pieces[index]
    comments = _comments(node, node.start, piece.start)
    in_comment = comments and _ends_line(node, comments[-1]) and comments[-1][1] == piece.start
    if in_comment and not LINE_ENDS_HERE.match(node.scan.text, piece.end):
        pieces[index] = TextEdit(start, piece.end)
    return pieces


def _joined(pieces: list[TextEdit]) -> list[TextEdit]:
    """Two pieces as one where they touch."""
    first, second = pieces
    if first.end < second.start:
        return pieces
    return [TextEdit(first.start, second.end, first.new + second.new)]
