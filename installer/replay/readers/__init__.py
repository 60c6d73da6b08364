"""Readers of past sessions: one module per log format, told apart by content, never by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from ..events import Session
from . import claude, codex, copilot, gemini, opencode, pi, plain

HEAD = 1 << 16  # bytes looked at to tell the format


class Reader(Protocol):
    """What a module of this folder offers."""

    def detect(self, head: str) -> bool:
        """Is this the beginning of such a log? `head` has no blanks between its tokens."""

    def sessions(self, path: Path) -> Iterable[Session]:
        """The agents whose events this file holds; events are read while they are consumed."""


READERS: dict[str, Reader] = {
    "codex": codex,
    "pi": pi,
    "copilot": copilot,
    "gemini": gemini,
    "opencode": opencode,
    "plain": plain,
    "claude": claude,
}


def format_of(path: Path) -> str | None:
    """Name of the reader that knows this file, None when it is no session log."""
    with path.open("rb") as file:
        head = file.read(HEAD).decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    head = head.replace('": ', '":').replace(', "', ',"')
    return next((name for name, reader in READERS.items() if reader.detect(head)), None)


def sessions(path: Path) -> Iterator[Session]:
    """The sessions in one file; nothing when it is no session log."""
    name = format_of(path)
    if name:
        yield from READERS[name].sessions(path)
