"""A TOML file as tomllib reads it, with the places of its statements.

tomllib knows TOML 1.0. A file in a newer form may be fine for its reader, so it is called unreadable
here, never broken: nothing could be proven about an edit of it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import Refusal
from .nodes import Node
from .text import Source, check_size, decode
from .toml_scanner import Statement, Statements, statements
from .toml_values import lookup
from .values import Finding, KeyPath, Number, Value, name_of

PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Rules(NamedTuple):
    """What the parser of `reader` (a harness's display name) accepts, and what it does otherwise."""

    reader: str
    bom: bool = False
    effect: str = "does not start with this file"


@dataclass(frozen=True, eq=False)
class Document:
    source: Source
    rules: Rules
    value: dict[str, Any]

    @property
    def is_blank(self) -> bool:
        return not self.source.text.strip()

    @cached_property
    def statements(self) -> Statements:
        return statements(self.source.text)

    def get(self, path: KeyPath, default: Value = None) -> Value:
        there, value = lookup(self.value, path)
        return value if there else default

    def has(self, path: KeyPath) -> bool:
        return lookup(self.value, path)[0]

    def below(self, path: KeyPath) -> list[Statement]:
        """The statements that define what stands at the path or below it."""
        return [found for found in self.statements.all if found.path[: len(path)] == path]

    def inside_pair(self, path: KeyPath) -> tuple[KeyPath, list[Node]]:
        """The path of the pair whose value holds the path, and the nodes from there as they exist."""
        for pair in self.statements.all:
            if pair.value is not None and path[: len(pair.path)] == pair.path:
                return pair.path, _follow(pair.value, path[len(pair.path) :])
        return (), []

    def missing(self, path: KeyPath) -> Refusal:
        return Refusal(f"{self.source.name} has nothing at {name_of(path)}", code="toml-missing")

    def expect(self, kind: type, path: KeyPath) -> None:
        """Refuse if something else stands at the path."""
        there, value = lookup(self.value, path)
        if there and not isinstance(value, kind):
            wanted = "a table" if kind is dict else "an array"
            raise Refusal(
                f"{self.source.name}: {name_of(path)}{self._place(path)} is"
                f" {_described(value)}, where {self.rules.reader} expects {wanted}",
                code="toml-wrong-type",
                fix=f"Make it {wanted}, or remove it.",
            )

    def _place(self, path: KeyPath) -> str:
        found = self.below(path)
        return f" at {self.source.place(found[0].start)}" if found else ""


def parse(data: bytes, rules: Rules, name: str, to_paste: str = "") -> Document:
    """Read a file; raises Refusal for what tomllib or its reader would reject, and over 16 MB.

    `to_paste`: the lines (see `snippet`) that a refusal offers for a file tomllib cannot read.
    """
    check_size(data, name)
    source = decode(data, name)
    for finding in _rejected(source, rules):
        by_hand = finding.code == "toml-syntax" and to_paste
        fix = f"Put this in by hand:\n{to_paste}" if by_hand else finding.fix
        raise Refusal(f"{name}: {finding.sentence}", code=finding.code, fix=fix)
    return Document(source, rules, _load(source.text))


def findings(data: bytes, rules: Rules, name: str) -> tuple[Finding, ...]:
    """What `parse` would refuse, without raising."""
    try:
        check_size(data, name)
        return tuple(_rejected(decode(data, name), rules))
    except Refusal as refused:
        return (Finding(refused.code, 1, 1, refused.text, refused.fix),)


def _load(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=Number)


def _rejected(source: Source, rules: Rules) -> list[Finding]:
    found = []
    if source.bom and not rules.bom:
        sentence = f"{rules.reader} {rules.effect}: a byte order mark at 1:1"
        found.append(Finding("toml-bom", 1, 1, sentence, "Save it without a BOM."))
    try:
        _load(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found.append(_unreadable(source, error))
    return found


def _unreadable(source: Source, error: Exception) -> Finding:
    if isinstance(error, RecursionError):
        line, column, what = 1, 1, "brackets are nested too deeply"
    else:
        line, column = source.place(len(source.text))
        if (found := PLACE.search(str(error))) and found[1]:
            line, column = int(found[1]), int(found[2])
        what = PLACE.sub("", str(error))
    sentence = f"not TOML 1.0 at {line}:{column} ({what}), so no edit of it can be proven right"
    return Finding("toml-syntax", line, column, sentence, "Correct that place, or edit by hand.")


def _follow(node: Node, path: KeyPath) -> list[Node]:
    nodes = [node]
    for step in path:
        if isinstance(step, str):
            found = node.named(step) if node.kind == "object" else []
        else:
            found = list(node.members[step : step + 1]) if node.kind == "array" else []
        if not found:
            break
        node = found[0].node
        nodes.append(node)
    return nodes


def _described(value: Value) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an array"
    return "a string" if isinstance(value, str) else "a single value"
