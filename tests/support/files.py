"""Helpers of the file tests: an edit that adds one line, and a look at a whole tree."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.writer import Transform, Writer

OURS = b"ours\n"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="gives files to other users: needs root")


def add(present: bytes | None) -> bytes:
    present = present or b""
    return present if OURS in present else present + OURS


def remove(present: bytes | None) -> bytes | None:
    return None if present is None else present.replace(OURS, b"")


def delete(present: bytes | None) -> None:
    return None


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def refusal(writer: Writer, path: Path, transform: Transform = add) -> Refusal:
    with pytest.raises(Refusal) as caught:
        writer.apply(path, transform)
    return caught.value


def tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below `folder` that a change could show in, times of change included."""
    return {str(path.relative_to(folder)): _facts(path) for path in (folder, *folder.rglob("*"))}


def _facts(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    content: object = None
    if path.is_symlink():
        content = path.readlink()
    elif path.is_file():
        content = path.read_bytes()
    facts = status.st_mode, status.st_ino, status.st_nlink, status.st_mtime_ns, status.st_ctime_ns
    return (*facts, content)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def temporaries(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".*.tmp")]
