"""What the document modules hand to each other and to their callers: plain immutable values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

Document = TypeVar("Document")
KeyPath = tuple[str | int, ...]
Value = Any  # dict, list, str, int, bool, None, Number; TOML adds dates and times


@dataclass(frozen=True)
class Number:
    """A number that a Python int would not give back letter by letter: `1e400`, `1.10`, `-0`."""

    lexeme: str

    def __float__(self) -> float:
        return float(self.lexeme)


class Finding(NamedTuple):
    """Something the file's reader would stumble over; `code` as in Refusal."""

    code: str
    line: int
    column: int
    sentence: str
    fix: str = ""


class Created(NamedTuple):
    """A container an edit made, or filled for the first time: `before` is the text it replaced.

    `None`: there was nothing. The path `()` with a text without brackets: the file was blank.
    """

    path: KeyPath
    before: str | None = None


class ByteEdit(NamedTuple):
    """`data[start:end]` became `replacement`; offsets count bytes of the old file."""

    start: int
    end: int
    replacement: bytes


class TextEdit(NamedTuple):
    """`text[start:end]` becomes `new`; offsets count characters of the old text."""

    start: int
    end: int
    new: str = ""


class Edited(NamedTuple, Generic[Document]):
    """The new bytes, what changed in the old ones, and the new document for the next edit.

    `created` belongs into the receipt: with it, `remove` gives the bytes of before.
    """

    data: bytes
    created: tuple[Created, ...]
    splice: ByteEdit
    document: Document


class VerificationError(AssertionError):
    """An edit did not do exactly what was asked: a bug in this program; nothing was written."""


def name_of(path: KeyPath) -> str:
    """The path as people write it: `hooks.PreToolUse[0]`."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{_quoted(step)}" for step in path]
    return "".join(steps).removeprefix(".") or "the top level"


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else ascii(key)
