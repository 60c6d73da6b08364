"""Where a new TOML block or pair goes, and which text goes when statements are taken out.

What is put in always starts behind the content of a line: a line end, for a block a blank line too,
then the new lines without a final line end. So taking out can be the exact inverse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .text import line_end_near, line_indent
from .toml_scanner import Statement, Statements
from .toml_values import block, inline, key_text
from .values import KeyPath, TextEdit, Value

LINE_STOP = re.compile(r"[^\r\n]*")
LINE_END = re.compile(r"\r?\n")
# Comment lines right behind a block belong to it, unless the next header follows them at once.
OWN_COMMENTS = re.compile(r"(?:\r?\n[ \t]*#[^\r\n]*)+(?=\s*\Z|\r?\n[ \t]*\r?\n)")
EQUALS = re.compile(r"[ \t]*=[ \t]*")


def new_block(found: Statements, path: KeyPath, value: Value, *, is_item: bool) -> list[TextEdit]:
    """A table under its own header: behind its like, else at the end of the file."""
    text, related = found.scan.text, _related(found.all, path, is_item=is_item)
    at, indent = _last_content(text), ""
    if related:
        at = _line_stop(text, related[-1].end)
        indent = line_indent(text, related[0].start)
        if comments := OWN_COMMENTS.match(text, at):
            at = comments.end()
    line_end = line_end_near(text, at)
    lines = block(path, value, is_item=is_item, equals=_equals(found.all, text))
    return [TextEdit(at, at, line_end + "".join(line_end + indent + line for line in lines))]


def new_pair(found: Statements, path: KeyPath, value: Value) -> list[TextEdit] | None:
    """A line in the table that is there already; None if it needs a header first."""
    text, parent = found.scan.text, path[:-1]
    pairs = [other for other in found.all if other.kind == "pair"]
    body = [other for other in pairs if other.table == parent]
    header = [other for other in found.all if other.path == parent and other.kind != "pair"]
    dotted = [other for other in pairs if _is_dotted_into(other, parent)]
    table = parent if body or header or not dotted else dotted[-1].table
    line = key_text(path[len(table) :]) + _equals(found.all, text) + inline(value)
    for anchor in (body or header or dotted)[-1:]:
        at = _line_stop(text, anchor.end)
        indent = line_indent(text, anchor.start)
        return [TextEdit(at, at, line_end_near(text, at) + indent + line)]
    if parent:
        return None
    line_end = line_end_near(text, 0)
    if found.all:
        return [TextEdit(0, 0, line + line_end + line_end)]
    at = _last_content(text)
    return [TextEdit(at, at, line_end + line)]


def cut(found: Statements, statements: Sequence[Statement]) -> list[TextEdit]:
    """Take out the lines of the statements, with the blank line before a block."""
    return [_cut(found.scan.text, run) for run in _runs(found, statements)]


def _related(all_: Sequence[Statement], path: KeyPath, *, is_item: bool) -> Sequence[Statement]:
    """The last block among those that a new block at the path belongs behind, header first."""
    family = path if is_item else path[:-1]
    near = [other for other in all_ if family and other.path[: len(family)] == family]
    if not near:
        indices = [index for index, step in enumerate(path) if isinstance(step, int)]
        element = path[: indices[-1] + 1] if indices else ()
        near = [other for other in all_ if element and other.path[: len(element)] == element]
    if not near:
        return ()
    last = all_.index(near[-1])
    first = next((i for i in range(last, -1, -1) if all_[i].kind != "pair"), None)
    if first is None:
        return ()
    stop = next((i for i in range(last + 1, len(all_)) if all_[i].kind != "pair"), len(all_))
    return all_[first:stop]


def _is_dotted_into(pair: Statement, table: KeyPath) -> bool:
    inside = len(pair.table) < len(table) < len(pair.path)
    return inside and pair.path[: len(table)] == table


def _runs(found: Statements, statements: Sequence[Statement]) -> Iterator[list[Statement]]:
    """The statements in groups that follow each other without a foreign one or a comment between."""
    run: list[Statement] = []
    for index, statement in enumerate(found.all):
        wanted = statement in statements
        if run and not (wanted and _touch(found, found.all[index - 1], statement)):
            yield run
            run = []
        if wanted:
            run.append(statement)
    if run:
        yield run


def _touch(found: Statements, one: Statement, other: Statement) -> bool:
    stop = _line_stop(found.scan.text, one.end)
    return not found.scan.comments_between(stop, other.start)


def _cut(text: str, run: Sequence[Statement]) -> TextEdit:
    start = run[0].start - len(line_indent(text, run[0].start))
    end = _line_stop(text, run[-1].end)
    if start:
        start = _before_line_end(text, start)
        if run[0].kind != "pair":
            start = _before_line_end(text, start)
        return TextEdit(start, end)
    for _ in range(2):
        following = LINE_END.match(text, end)
        end = following.end() if following else end
    return TextEdit(0, end)


def _before_line_end(text: str, offset: int) -> int:
    """The offset before the line end that stands there, or the offset itself."""
    if text.endswith("\r\n", 0, offset):
        return offset - 2
    return offset - 1 if text.endswith("\n", 0, offset) else offset


def _last_content(text: str) -> int:
    """The end of the last line that is not blank."""
    return _line_stop(text, len(text.rstrip(" \t\r\n")))


def _line_stop(text: str, offset: int) -> int:
    """Where the content of the line ends, a comment included."""
    found = LINE_STOP.match(text, offset)
    assert found is not None
    return found.end()


def _equals(all_: Sequence[Statement], text: str) -> str:
    """How the last pair of the file writes its equals sign."""
    for other in reversed(all_):
        if other.value is not None:
            found = text[other.key_end : other.value.start]
            return found if EQUALS.fullmatch(found) else " = "
    return " = "
