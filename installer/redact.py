"""Which parts of a settings file are secrets: diffs and backups end up in CI logs.

A file that can be parsed is masked by its structure: everything below `env` and `headers`, what telling
keys and options have as values, then what the guard's own masker finds in the strings that are left. Of
a file that cannot be parsed only keys are shown.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from pathlib import PurePath

from ..guard.masking.arguments import hidden_arguments
from ..guard.masking.names import YES, holds_secrets, telling
from ..guard.masking.text import by_line, mask, masked, merged
from ..guard.masking.text import spans as text_spans
from ..guard.masking.values import is_value
from .documents.json_scanner import scan
from .documents.nodes import Member, Node, Span
from .documents.toml_scanner import DOT, Statement, statements

__all__ = ["mask", "redact", "redact_file", "secret_spans"]

redact = masked  # a sentence: the same rules as for the guard's messages

MARKS = "\ufeff\udcef\udcbb\udcbf\udcff\udcfe"  # byte order marks, undecoded too
PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".py", ".sh")
ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n\s*|.)", re.DOTALL)
SURROGATES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
SHORT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
WORDS = ("true", "false", "null", "{", "[")
COMMENT = re.compile(r"//|/\*|#")
# Of a file that cannot be parsed: a key with its separator, a header, a bracket or a comma, the rest.
ROUGH = re.compile(
    r"""(?P<key>(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w.-]+)[ \t]*(?:=>|:=|[:=])(?!//))
      | (?P<header>^[ \t]*\[+[\w."'-]+\]+[ \t\r]*$)
      | (?P<mark>[][{}(),;])
      | (?P<word>(?:true|false|null)\b)
      | (?P<quoted>"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)
      | (?P<bare>[^\s,{}\]"']+)""",
    re.VERBOSE | re.MULTILINE,
)
KEY_MAY_FOLLOW = "{,;"
NAMING = ("name", "key", "header")  # members whose value is a key for the member `value`


def redact_file(text: str, name: str = "") -> str:
    """The text of the file with every secret masked, line by line."""
    return mask(text, secret_spans(text, name))


@lru_cache(maxsize=8)  # a diff is made of the same two texts several times
def secret_spans(text: str, name: str = "", shown: Span | None = None) -> list[Span]:
    """Sorted, merged spans (start, end) of what must not be shown; none holds a line end.

    Where only a part of the text is `shown`, spans outside it may be left out.
    """
    if PurePath(name).suffix in PROGRAMS:
        return text_spans(text)
    found = _structured(text, len(text) - len(text.lstrip(MARKS)), shown or (0, len(text)))
    if found is None:
        found = list(_rough(text))
    return merged(line for span in found for line in by_line(text, *span))


def _structured(text: str, bom: int, shown: Span) -> list[Span] | None:
    """Spans in JSON, JSONC or TOML; None if it is neither."""
    body = text[bom:]
    if body.lstrip()[:1] in ("{", "[", '"', "/"):
        scanned = scan(body)
        if scanned.closes.get(0) or (scanned.tokens and not scanned.error):
            marker = _Marker(body, (shown[0] - bom, shown[1] - bom))
            marker.add(scanned.root, False)
            found = [*marker.spans, *marker.comments(scanned.comments)]
            tail = scanned.root.end if scanned.error else len(body)
            return _moved([*found, *_moved(_rough(body[tail:]), tail)], bom)
    try:
        tomllib.loads(body)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None if body.strip() else []
    return _moved(_toml(body), bom)


def _moved(spans: Iterable[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


class _Marker:
    """Collects what is secret in a tree, and where everything is."""

    def __init__(self, text: str, shown: Span | None = None) -> None:
        self.text = text
        self.shown = shown or (0, len(text))
        self.spans: list[Span] = []
        self.hidden: list[Span] = []  # containers and tables: their comments are hidden too

    def add(self, root: Node, hidden: bool) -> None:
        """Mark the value; without recursion, for nothing limits how deep a file is."""
        waiting: list[tuple[Node, bool, str]] = [(root, hidden, "")]
        while waiting:
            node, hidden, key = waiting.pop()
            if node.end < self.shown[0] or node.start > self.shown[1]:
                continue
            if node.kind == "scalar":
                self.spans += _scalar(node, hidden, key)
                continue
            if hidden:
                self.hidden.append((node.start, node.end))
            told = _told(node)
            for index, member in enumerate(node.members):
                if member.node.end < self.shown[0] or member.start > self.shown[1]:
                    continue
                name = member.key if member.key is not None else key
                if member.key is not None:
                    self.spans += _in_string(self.text, member.start, member.key_end)
                below = hidden or index in told or _hides(member)
                waiting.append((member.node, below, name))

    def comments(self, comments: list[Span]) -> Iterator[Span]:
        """Inside hidden containers all of a comment, elsewhere what looks like a secret."""
        hidden = merged(self.hidden)
        starts = [start for start, _ in hidden]
        for start, end in comments:
            at = bisect_right(starts, start) - 1
            if at >= 0 and start < hidden[at][1]:
                marker = COMMENT.match(self.text, start)
                yield (marker.end() if marker else start), end
        yield from _commented_out(self.text, comments)


def _commented_out(text: str, comments: list[Span]) -> Iterator[Span]:
    """What would be secret if the comments were none: all else is blanked, their markers too."""
    kept = [" " if character != "\n" else "\n" for character in text] if comments else []
    for start, end in comments:
        marker = COMMENT.match(text, start)
        kept[marker.end() if marker else start : end] = text[
            marker.end() if marker else start : end
        ]
    without = "".join(kept)
    yield from text_spans(without)
    for block in BLOCK.finditer(without):
        for value in IN_BLOCK.finditer(without, *block.span(1)):
            yield value.span(1)


# Commented-out pairs behind a commented-out `"env": {` or `[x.env]`, up to a bracket or the end.
BLOCK = re.compile(
    r"""(?i)(?:["']?\w*(?:env|environment|headers)["']?\s*[:=]\s*\{|\[[\w."'-]*(?:env|headers)\])([^}\[]*)"""
)
IN_BLOCK = re.compile(r"[:=]\s*([^\n]+)")


def _hides(member: Member) -> bool:
    """Is all below this key secret?"""
    keys = (member.key or "").split(DOT)
    return any(holds_secrets(key) or telling(key) == YES for key in keys)


def _told(node: Node) -> set[int]:
    """Indices of members that another one tells to be secret: items behind an option, named values."""
    members = node.members
    if node.kind == "array":
        words = [_decoded(member.node) or "" for member in members]
        return {index for index, _ in hidden_arguments(words)}
    names = {member.key: member.node for member in members}
    named = next((_decoded(names[key]) or "" for key in NAMING if key in names), "")
    if telling(named) != YES:
        return set()
    return {index for index, member in enumerate(members) if member.key == "value"}


def _scalar(node: Node, hidden: bool, key: str) -> Iterator[Span]:
    text, start, end = node.scan.text, node.start, node.end
    if text[start] not in "\"'":
        if hidden and text[start:end] not in WORDS:
            yield start, end
        return
    width = _quotes(text, start, end)
    sure = max((telling(part) for part in key.split(DOT)), default=0) if key else 0
    if hidden or (sure and is_value(_decoded(node) or "", sure)):
        yield start + width, end - width
    else:
        yield from _in_string(text, start, end)


def _in_string(text: str, start: int, end: int) -> Iterator[Span]:
    """What the text of a string says, found in its escaped form."""
    if text[start] not in "\"'":
        yield from ((start + a, start + b) for a, b in text_spans(text[start:end]))
        return
    if "\\" not in text[start:end]:
        width = _quotes(text, start, end)
        inside = text[start + width : end - width]
        yield from ((start + width + a, start + width + b) for a, b in text_spans(inside))
        return
    places = _places(text, start, end)
    said = "".join(character for character, _ in places)
    for first, last in text_spans(said):
        yield places[first][1], places[last][1] if last < len(places) else end - 1


def _quotes(text: str, start: int, end: int) -> int:
    """How many quotes stand on each side of the string: one, or TOML's three."""
    return 3 if end - start >= 6 and text.startswith(text[start] * 3, start) else 1


def _places(text: str, start: int, end: int) -> list[tuple[str, int]]:
    """Each character that the string stands for, and where it is written."""
    width = _quotes(text, start, end)
    at, stop, found = start + width, end - width, []
    while at < stop:
        escape = ESCAPE.match(text, at, stop) if text[start] == '"' else None
        pair = SURROGATES.match(text, at, stop) if escape else None
        written = pair or escape
        if written is None:
            found.append((text[at], at))
            at += 1
            continue
        said = _unescaped(written.group())
        found += [(character, at) for character in said]
        at = written.end()
    return found


def _unescaped(escape: str) -> str:
    if escape[1] == "u":
        return str(json.loads(f'"{escape}"'))
    if escape[1] == "U":
        code = int("0x" + escape[2:], 0)
        return chr(code) if code < 0x110000 else "?"
    return "" if escape[1:].isspace() else SHORT_ESCAPES.get(escape[1], escape[1])


def _decoded(node: Node) -> str | None:
    """The text of a string; None for anything else."""
    if node.kind != "scalar" or node.scan.text[node.start] not in "\"'":
        return None
    text, start, end = node.scan.text, node.start, node.end
    if "\\" not in text[start:end]:
        width = _quotes(text, start, end)
        return text[start + width : end - width]
    return "".join(character for character, _ in _places(text, start, end))


def _toml(text: str) -> list[Span]:
    found = statements(text)
    marker = _Marker(text)
    tables = [one for one in found.all if one.kind != "pair"]
    for table, behind in zip_longest(tables, tables[1:]):
        if _is_hidden(table):
            marker.hidden.append((table.end, behind.start if behind else len(text)))
    for one in found.all:
        marker.spans += _in_key(text, one)
        if one.value is None:
            continue
        if one.value.kind == "scalar":
            marker.spans += _scalar(one.value, _is_hidden(one), one.keys[-1])
        else:
            marker.add(one.value, _is_hidden(one))
    return [*marker.spans, *marker.comments(found.scan.comments)]


def _is_hidden(one: Statement) -> bool:
    keys = [key for key in one.path if isinstance(key, str)]
    return any(holds_secrets(key) or telling(key) == YES for key in keys)


def _in_key(text: str, one: Statement) -> list[Span]:
    return [(one.start + a, one.start + b) for a, b in text_spans(text[one.start : one.key_end])]


def _rough(text: str) -> Iterator[Span]:
    """Every value of a text that nobody could parse: behind a key, in quotes or inside brackets."""
    yield from text_spans(text)
    depth, line, fresh, valued = 0, 0, True, False
    runs_on = '"""' in text or "'''" in text
    for found in ROUGH.finditer(text):
        if "\n" in text[line : found.start()]:
            fresh, valued = True, False
        line, kind, word = found.end(), found.lastgroup, found.group()
        if kind == "mark":
            depth += (word in "{[(") - (word in "}])")
            fresh = word in KEY_MAY_FOLLOW
            continue
        if kind == "key" and fresh:
            valued = True
        elif kind in ("key", "quoted") or (kind == "bare" and (valued or depth > 0 or runs_on)):
            yield found.span()
        fresh = False
