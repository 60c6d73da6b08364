"""Where things are in a scanned text: flat lists first, nodes only for those who ask.

A megabyte holds 100,000 values and an edit looks at ten of them, so nodes are made on demand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from .text import has_line_end

Span = tuple[int, int]


@dataclass(eq=False, repr=False)
class Scan:
    """What a scanner found, in the order of the text.

    `tokens` spells the tree without layout, commas and colons (equal tokens, equal trees): strings
    are decoded but keep their quotes. `spans[i]` is where token i stands. `closes` maps the first
    token of a container to its last, `commas` the last token of a value to the offset of the comma
    behind it. `error` is (offset, what is wrong there).
    """

    text: str
    tokens: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    closes: dict[int, int] = field(default_factory=dict)
    commas: dict[int, int] = field(default_factory=dict)
    comments: list[Span] = field(default_factory=list)
    error: tuple[int, str] | None = None

    @property
    def root(self) -> Node:
        return Node(self, 0)

    @cached_property
    def opens(self) -> dict[int, int]:
        """The reverse of `closes`."""
        return {last: first for first, last in self.closes.items()}

    def containers(self) -> Iterator[Node]:
        return (Node(self, first) for first in sorted(self.closes))

    def trailing_commas(self) -> list[int]:
        lasts = sorted(self.closes.values())
        return [self.commas[last - 1] for last in lasts if last - 1 in self.commas]

    def comments_between(self, start: int, end: int) -> list[Span]:
        first = bisect_left(self.comments, (start,))
        return self.comments[first : bisect_left(self.comments, (end,), first)]


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """The value that starts with token `first`: `text[start:end]`, `tokens[first:last]`."""

    scan: Scan
    first: int

    @property
    def last(self) -> int:
        return self.scan.closes.get(self.first, self.first) + 1

    @property
    def start(self) -> int:
        return self.scan.spans[self.first][0]

    @property
    def end(self) -> int:
        return self.scan.spans[self.last - 1][1]

    @property
    def text(self) -> str:
        return self.scan.text[self.start : self.end]

    @property
    def tokens(self) -> list[str]:
        return self.scan.tokens[self.first : self.last]

    @property
    def kind(self) -> str:
        if self.first not in self.scan.closes:
            return "scalar"
        return "object" if self.scan.tokens[self.first] == "{" else "array"

    @cached_property
    def members(self) -> tuple[Member, ...]:
        return () if self.kind == "scalar" else tuple(self._members())

    @cached_property
    def last_member(self) -> Member | None:
        """Found from the end, without a look at the others."""
        if self.last - self.first < 3:
            return None
        closing = self.last - 2
        has_key = self.kind == "object"
        return self._member(self.scan.opens.get(closing, closing) - has_key, has_key)

    @property
    def trailing_comma(self) -> bool:
        return self.last_member is not None and self.last_member.comma is not None

    @property
    def is_multi_line(self) -> bool:
        """Whether the last member stands on a line of its own."""
        return self.last_member is not None and has_line_end(self.gap_before(self.last_member))

    def gap_before(self, member: Member) -> str:
        """What stands between a member and the comma or bracket before it."""
        has_key = self.kind == "object"
        comma = self.scan.commas.get(member.node.first - has_key - 1, self.start)
        return self.scan.text[comma + 1 : member.start]

    def named(self, key: str) -> list[Member]:
        return [member for member in self.members if member.key == key]

    def _members(self) -> Iterator[Member]:
        index, last = self.first + 1, self.last - 1
        has_keys = self.kind == "object"
        while index < last:
            member = self._member(index, has_keys)
            yield member
            index = member.node.last

    def _member(self, index: int, has_key: bool) -> Member:
        scan = self.scan
        node = Node(scan, index + has_key)
        key = scan.tokens[index][1:-1] if has_key else None
        return Member(key, *scan.spans[index], node, scan.commas.get(node.last - 1))


class Member(NamedTuple):
    """A member of an object, or an item of an array (key None); `start` is that of the key."""

    key: str | None
    start: int
    key_end: int
    node: Node
    comma: int | None
