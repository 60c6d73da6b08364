"""A JSON or JSONC file read with its harness's own rules: values by path, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice

from ..errors import Refusal
from . import json_rules
from .json_rules import Rules
from .json_scanner import scan
from .json_values import value_of
from .nodes import Member, Node, Scan
from .text import Place, Source, check_size, decode
from .values import Finding, KeyPath, Value, name_of

MAX_PROBLEMS = 100


@dataclass(frozen=True, eq=False)
class Document:
    """A file its reader accepts; a blank one counts as `{}`."""

    source: Source
    rules: Rules
    scan: Scan

    @property
    def is_blank(self) -> bool:
        return not self.scan.tokens

    @cached_property
    def value(self) -> Value:
        return {} if self.is_blank else value_of(self.scan.tokens)

    def get(self, path: KeyPath, default: Value = None) -> Value:
        """The value there, or `default` if nothing is; refuses a path that passes doubled keys."""
        if self.is_blank:
            return default if path else {}
        node = self.follow(path)[-1]
        return value_of(node.tokens) if self.has(path) else default

    def has(self, path: KeyPath) -> bool:
        return not self.is_blank and len(self.follow(path)) == len(path) + 1

    def place(self, path: KeyPath) -> Place:
        """Line and column of the value there, or of the last container on the way to it."""
        return self.source.place(0 if self.is_blank else self.follow(path)[-1].start)

    def follow(self, path: KeyPath) -> list[Node]:
        """The nodes along the path, root first, as far as they exist."""
        nodes = [self.scan.root]
        for step in path:
            found = _at(nodes[-1], step)
            if len(found) > 1:
                raise self._doubled(found)
            if not found:
                break
            nodes.append(found[0].node)
        return nodes

    def expect(self, kind: str, nodes: Sequence[Node], path: KeyPath) -> None:
        """Refuse unless the last node, which stands at the end of `path`, is of that kind."""
        node = nodes[-1]
        if node.kind != kind:
            raise Refusal(
                f"{self.source.name}: {name_of(path)} at {self.source.place(node.start)}"
                f" is {_described(node)}, where {self.rules.reader} expects an {kind}",
                code="json-wrong-type",
                fix=f"Make it an {kind}, or remove it.",
            )

    def missing(self, path: KeyPath) -> Refusal:
        return Refusal(f"{self.source.name} has nothing at {name_of(path)}", code="json-missing")

    def _doubled(self, found: Sequence[Member]) -> Refusal:
        key, start, earlier = str(found[1].key), found[1].start, found[0].start
        finding = json_rules.duplicate(self.source, self.rules, key, start, earlier)
        return json_rules.refusal(finding, self.source.name)


def parse(data: bytes, rules: Rules, name: str) -> Document:
    """Read a file; raises Refusal for what its reader would reject, and over 16 MB.

    Only a blank file is welcome whatever its reader says, for an edit gives it its first value.
    """
    check_size(data, name)
    return read(data, rules, name)


@lru_cache(maxsize=4)  # one change asks for the same few versions of a file a dozen times
def read(data: bytes, rules: Rules, name: str) -> Document:
    """Like `parse`, without a size limit."""
    source = decode(data, name, utf16=rules.utf16)
    scanned = scan(source.text)
    for finding in json_rules.rejected(scanned, source, rules):
        if finding.code != "json-empty":
            raise json_rules.refusal(finding, name)
    return Document(source, rules, scanned)


def findings(data: bytes, rules: Rules, name: str) -> tuple[Finding, ...]:
    """All (MAX_PROBLEMS) that the reader rejects, and doubled keys; loading stops at the first."""
    try:
        check_size(data, name)
        source = decode(data, name, utf16=rules.utf16)
    except Refusal as refused:
        return (Finding(refused.code, 1, 1, refused.text, refused.fix),)
    scanned = scan(source.text)
    rejected = json_rules.rejected(scanned, source, rules)
    doubled = json_rules.duplicates(scanned, source, rules)
    return tuple(islice(chain(rejected, doubled), MAX_PROBLEMS))


def _at(node: Node, step: str | int) -> Sequence[Member]:
    if isinstance(step, str):
        return node.named(step) if node.kind == "object" else ()
    in_range = node.kind == "array" and 0 <= step < len(node.members)
    return node.members[step : step + 1] if in_range else ()


def _described(node: Node) -> str:
    if node.kind != "scalar":
        return f"an {node.kind}"
    token = node.scan.tokens[node.first]
    if token in ("true", "false", "null"):
        return token
    return "a string" if token.startswith('"') else "a number"
