"""A settings file of the corpus: its text with marks where setup changes it, and how it lies there.

«new»         what setup puts in; the text of before is that without the marks and what they hold
«old→new»     what setup replaces
HOOKS         our entry, from `"hooks": ...` on, laid out as json.dumps does with the case's indent
EVENT:name    the same from the event on; EVENT alone is the first event
GROUP         what stands in the list of the event; HANDLER what stands in a group
COMMAND       the registered command, escaped as inside a JSON string
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tests.corpus.placing import Placing, plain

ONE_LINE, MINIFIED = "one line", "minified"
MARK = re.compile("«(?:([^«»→]*)→)?([^«»→]*)»")
OURS = re.compile(r"\b(HOOKS|EVENT(?::\w+)?|GROUP|HANDLER|COMMAND)\b")
LINE_END = re.compile(r"\r\n|\n|\r")


class Case(NamedTuple):
    """`text` as bytes is a file that setup refuses, with this `code` and a sentence that `says`."""

    name: str
    text: str | bytes
    placed: Placing = plain
    code: str = ""
    says: str = ""
    indent: str = "  "
    encoding: str = "utf-8"
    left: str | None = None  # after uninstall, where entries of ours were there before setup


class Harness(NamedTuple):
    """What is put where, told once more, independent of the code that does it."""

    name: str
    file: str
    handler: dict[str, Any]
    events: tuple[str, ...]
    word: str = "claude"  # that ends the registered command
    flat: bool = False


class Texts(NamedTuple):
    """Bytes before setup, after it, and after uninstall; None where there is no file."""

    before: bytes | None
    after: bytes | None
    left: bytes | None


def texts(case: Case, harness: Harness, command: str) -> Texts:
    if isinstance(case.text, bytes):
        return Texts(case.text, case.text, case.text)
    before = MARK.sub(lambda mark: mark[1] or "", case.text)
    after = MARK.sub(lambda mark: mark[2], case.text)
    left = before if case.left is None else case.left
    made = [
        _encoded(_laid_out(text, case, harness, command), case) for text in (before, after, left)
    ]
    if case.placed.is_absent:
        return Texts(None, made[1], None)
    return Texts(*made)


def _encoded(text: str, case: Case) -> bytes:
    return text.encode(case.encoding)


def _laid_out(text: str, case: Case, harness: Harness, command: str) -> str:
    escaped = json.dumps(command, ensure_ascii=False)[1:-1]

    def part(found: re.Match[str]) -> str:
        if found[0] == "COMMAND":
            return escaped
        line = _line(text, found.start())
        return _part(found[0], case, harness, line).replace("COMMAND", escaped)

    return OURS.sub(part, text)


def _part(name: str, case: Case, harness: Harness, line: tuple[str, str]) -> str:
    group = harness.handler if harness.flat else {"hooks": [harness.handler]}
    if name == "HOOKS":
        return _member("hooks", {event: [group] for event in harness.events}, case, line)
    if name.startswith("EVENT"):
        return _member(name.partition(":")[2] or harness.events[0], [group], case, line)
    return _written(group if name == "GROUP" else harness.handler, case, line)


def _member(key: str, value: Any, case: Case, line: tuple[str, str]) -> str:
    colon = ":" if case.indent == MINIFIED else ": "
    return f'"{key}"{colon}{_written(value, case, line)}'


def _written(value: Any, case: Case, line: tuple[str, str]) -> str:
    if case.indent == MINIFIED:
        return json.dumps(value, separators=(",", ":"))
    if case.indent == ONE_LINE:
        return json.dumps(value)
    return json.dumps(value, indent=case.indent).replace("\n", "".join(line))


def _line(text: str, offset: int) -> tuple[str, str]:
    """The line end before the line of `offset`, and the blanks that open that line."""
    ends = list(LINE_END.finditer(text, 0, offset))
    if not ends:
        return "\n", ""
    blanks = re.match(r"[ \t]*", text[ends[-1].end() :])
    return ends[-1][0], blanks[0] if blanks else ""
