"""Where the statements of a TOML text are: headers, pairs, and the values inside pairs.

Only for text that tomllib has accepted: this scanner finds places and does not judge. Inline arrays
and tables get the same nodes as JSON, so the same code puts members into them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from .nodes import Node, Scan
from .values import KeyPath

# Groups are not repeated possessively: before Python 3.11.5 such a repeat may match wrongly.
TOKEN = re.compile(
    r"""[ \t]*+(?:
      (?P<string>\"{3}[^"\\]*+(?:(?:\\.|"{1,2}(?!"))[^"\\]*+)*"{3,5}
        |'{3}[^']*+(?:'{1,2}(?!')[^']*+)*'{3,5}
        |"[^"\\]*+(?:\\.[^"\\]*+)*"|'[^']*+')
    | (?P<word>[\w+:-]++)
    | (?P<mark>[][{}=,.])
    | (?P<comment>\#[^\r\n]*+)
    | (?P<line_end>\r?\n)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
# Between the parts of a dotted key inside an inline table: such keys are never looked up.
DOT = "\0"


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Statement(NamedTuple):
    """A header (`value` is None) or a pair.

    `path` leads there from the root, with indices into arrays of tables; `keys` is what is written.
    `start`, `key_end` and `end` are offsets; `end` excludes a comment behind it.
    """

    kind: str  # "table", "array" or "pair"
    path: KeyPath
    keys: tuple[str, ...]
    start: int
    key_end: int
    end: int
    value: Node | None = None

    @property
    def table(self) -> KeyPath:
        """The table in which a pair is written; its header, if it has one, is above."""
        return self.path[: len(self.path) - len(self.keys)] if self.kind == "pair" else self.path


class Statements(NamedTuple):
    scan: Scan
    all: tuple[Statement, ...]


def statements(text: str) -> Statements:
    """All statements, in the order of the text."""
    scan = Scan(text)
    found = tuple(_Reader(scan).statements())
    return Statements(scan, found)


class _Reader:
    """Goes through the tokens once; `context` is the table that the last header has opened."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.tokens = self._tokens()
        self.token = next(self.tokens)
        self.context: KeyPath = ()
        self.lengths: dict[KeyPath, int] = {}

    def statements(self) -> Iterator[Statement]:
        while self.token.kind != "eof":
            if self.token.kind == "line_end":
                self._next()
            elif self.token.text == "[":
                yield self._header()
            else:
                yield self._pair()

    def _header(self) -> Statement:
        start = self._next().start
        is_array = self.token.text == "[" and self.token.start == start + 1
        if is_array:
            self._next()
        keys, key_end = self._key()
        end = self._next().end
        if is_array:
            end = self._next().end
        self.context = self._resolved(keys, is_array)
        kind = "array" if is_array else "table"
        return Statement(kind, self.context, keys, start, key_end, end)

    def _pair(self) -> Statement:
        start = self.token.start
        keys, key_end = self._key()
        self._next()
        value = self._value()
        return Statement("pair", self.context + keys, keys, start, key_end, value.end, value)

    def _resolved(self, keys: tuple[str, ...], is_array: bool) -> KeyPath:
        """The path of a header: arrays of tables on the way stand for their last element."""
        path: KeyPath = ()
        for key in keys[:-1]:
            path = self._last_element((*path, key))
        path = (*path, keys[-1])
        if is_array:
            self.lengths[path] = self.lengths.get(path, 0) + 1
        return self._last_element(path)

    def _last_element(self, path: KeyPath) -> KeyPath:
        return (*path, self.lengths[path] - 1) if path in self.lengths else path

    def _key(self) -> tuple[tuple[str, ...], int]:
        """The parts of a dotted key, and where it ends."""
        parts = [self._next()]
        while self.token.text == ".":
            self._next()
            parts.append(self._next())
        return tuple(_decoded(part) for part in parts), parts[-1].end

    def _value(self) -> Node:
        """Add the tokens of one value to the scan; inside brackets line ends do not count."""
        scan, first = self.scan, len(self.scan.tokens)
        opened: list[int] = []
        while len(scan.tokens) == first or opened:
            text = self.token.text
            if text in ("{", "["):
                opened.append(len(scan.tokens))
                self._add(self._next())
            elif text in ("}", "]"):
                scan.closes[opened.pop()] = len(scan.tokens)
                self._add(self._next())
            elif text == ",":
                scan.commas[len(scan.tokens) - 1] = self._next().start
            elif self.token.kind == "line_end":
                self._next()
                continue
            else:
                self._scalar()
            if text in ("{", ",") and scan.tokens[opened[-1]] == "{" and self.token.text != "}":
                self._inline_key()
        return Node(scan, first)

    def _inline_key(self) -> None:
        start = self.token.start
        keys, end = self._key()
        self._next()
        self._add(Token("key", f'"{DOT.join(keys)}"', start, end))

    def _scalar(self) -> None:
        """A string, or the words and dots that make a number or a date (with a blank inside)."""
        parts = [self._next()]
        while parts[0].kind == "word" and (self.token.kind == "word" or self.token.text == "."):
            parts.append(self._next())
        start, end = parts[0].start, parts[-1].end
        self._add(Token("scalar", self.scan.text[start:end], start, end))

    def _add(self, token: Token) -> None:
        self.scan.tokens.append(token.text)
        self.scan.spans.append((token.start, token.end))

    def _next(self) -> Token:
        """Step on to the next token that is not a comment; gives the current one."""
        token, self.token = self.token, next(self.tokens)
        return token

    def _tokens(self) -> Iterator[Token]:
        for found in TOKEN.finditer(self.scan.text):
            kind = found.lastgroup or ""
            if kind == "comment":
                self.scan.comments.append(found.span(kind))
            else:
                yield Token(kind, found[kind], *found.span(kind))
        yield Token("eof", "", len(self.scan.text), len(self.scan.text))
        yield Token("eof", "", len(self.scan.text), len(self.scan.text))


def _decoded(token: Token) -> str:
    if token.kind == "word":
        return token.text
    return str(tomllib.loads(f"key = {token.text}")["key"])
