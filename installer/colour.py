"""Colour for people who watch: only on a terminal that can, and never with NO_COLOR (no-color.org)."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import typer

MARKS = {"✗": "red", "!": "yellow", "✓": "green"}
LEVELS = {"error": "red", "warning": "yellow"}


def wanted(stream: TextIO) -> bool:
    """Does this stream show colour, and does the person want any?"""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return stream.isatty() and not plain


def plain(text: str) -> str:
    return text


def diff(text: str) -> str:
    """A unified diff: file names bold, places cyan, what goes red, what comes green."""
    return "\n".join(_diff_line(line) for line in text.split("\n"))


def _diff_line(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return typer.style(line, bold=True)
    colour = {"@": "cyan", "-": "red", "+": "green"}.get(line[:1])
    return typer.style(line, fg=colour) if colour else line


def checks(text: str) -> str:
    """The marks of the doctor, wherever they stand alone."""
    return " ".join(
        typer.style(word, fg=MARKS[word]) if word in MARKS else word for word in text.split(" ")
    )


def level(text: str, name: str) -> str:
    """A sentence on stderr, by how bad it is."""
    return typer.style(text, fg=LEVELS[name]) if name in LEVELS and wanted(sys.stderr) else text
