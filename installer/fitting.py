"""Fit text into the columns of a terminal: cut it short, or break it between words."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

from .printable import printable

COLUMNS = 80
GAP = "…"
STYLE = re.compile(r"\x1b\[[0-9;]*m")  # colour, as colour.py writes it


def fitted(text: str, columns: int = COLUMNS) -> str:
    """One printable line of at most so many columns; a longer one ends with `…`."""
    text = printable(text)
    return text if width(text) <= columns else _head(text, columns - 1) + GAP


def middle_cut(path: str, columns: int) -> str:
    """A path of at most so many columns; a longer one keeps both ends: `~/code/…/app`."""
    path = printable(path)
    if width(path) <= columns:
        return path
    head = (columns - 1) // 2
    tail = _head(path[::-1], columns - 1 - head)[::-1]
    return _head(path, head) + GAP + tail


def width(text: str) -> int:
    """Columns that a terminal needs for it."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def _head(text: str, columns: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return text[:index]
    return text


def wrapped(text: str, columns: int) -> str:
    """Break a line that is too wide between words; what follows is indented as it was.

    A word wider than the line, such as a path to copy, stays whole. Colour takes no columns.
    """
    words = text.split(" ")
    lead = len(text) - len(text.lstrip(" "))
    is_marked = len(text) > lead + 1 and not text[lead].isalnum() and text[lead + 1] == " "
    indent = " " * (lead + 2 * is_marked)
    lines, line = [], words[0]
    for word in words[1:]:
        if line.strip() and _seen(line) + 1 + _seen(word) > columns:
            lines.append(line.rstrip(" "))
            line = indent + word
        else:
            line += " " + word
    return "\n".join([*lines, line])


def _seen(text: str) -> int:
    return width(STYLE.sub("", text))
