"""Bytes to text and back without losing one: encoding, line:column, line ends, indentation.

The locale never matters; every function is pure and works on offsets into the decoded text.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from ..errors import Refusal

SIZE_LIMIT = 16 * 1024 * 1024
LINE_END = re.compile(r"\r\n|\n|\r")


class Place(NamedTuple):
    """Where something stands, both counted from 1; columns count characters."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Source(NamedTuple):
    """A decoded file; `encode(text)` gives its bytes again."""

    name: str
    text: str
    bom: bytes
    encoding: str

    def encode(self, text: str) -> bytes:
        return self.bom + text.encode(self.encoding)

    def byte_offset(self, offset: int) -> int:
        return len(self.bom) + len(self.text[:offset].encode(self.encoding))

    def place(self, offset: int) -> Place:
        return place(self.text, offset)


def decode(data: bytes, name: str, *, utf16: bool = False) -> Source:
    """UTF-8 with or without a BOM; with `utf16` also UTF-16LE with a BOM. Raises Refusal."""
    if utf16 and data.startswith(codecs.BOM_UTF16_LE):
        bom, encoding = codecs.BOM_UTF16_LE, "utf-16-le"
    elif data.startswith(codecs.BOM_UTF8):
        bom, encoding = codecs.BOM_UTF8, "utf-8"
    else:
        bom, encoding = b"", "utf-8"
    try:
        return Source(name, data[len(bom) :].decode(encoding), bom, encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(data, name, len(bom) + error.start) from None


def check_size(data: bytes, name: str) -> None:
    """Raise Refusal for a file too large to be a settings file (16 MB)."""
    if len(data) > SIZE_LIMIT:
        raise Refusal(
            f"{name} has {len(data)} bytes; settings files over 16 MB are not edited",
            code="too-large",
            fix="Check what wrote so much into it, and make it smaller.",
        )


def place(text: str, offset: int) -> Place:
    start, line = 0, 1
    for end in LINE_END.finditer(text, 0, offset):
        start, line = end.end(), line + 1
    return Place(line, offset - start + 1)


def line_end_near(text: str, offset: int) -> str:
    """The line end closest before `offset`, else the first after it, else a plain newline."""
    newline = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
    if newline > 0 and text[newline - 1 : newline + 1] == "\r\n":
        return "\r\n"
    if newline >= 0:
        return text[newline]
    after = LINE_END.search(text, offset)
    return after.group() if after else "\n"


def has_line_end(text: str) -> bool:
    return "\n" in text or "\r" in text


def line_indent(text: str, offset: int) -> str:
    """The blanks that open the line on which `offset` lies."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    end = start
    while end < offset and text[end] in " \t":
        end += 1
    return text[start:end]


def _undecodable(data: bytes, name: str, offset: int) -> Refusal:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        what = "is UTF-16, not UTF-8"
    else:
        what = f"is not UTF-8: byte 0x{data[offset]:02x} at offset {offset}"
    return Refusal(f"{name} {what}", code="not-utf8", fix="Save the file as UTF-8, then run again.")
