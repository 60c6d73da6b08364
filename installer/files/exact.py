"""Is a file or folder of ours exactly what it must be, and can nobody else change it?"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

OTHERS_MAY_WRITE = 0o022


def is_file(path: Path, data: bytes) -> bool:
    """Does a file, not a link, hold these bytes?"""
    try:
        return _is_safe(path, stat.S_IFREG) and path.read_bytes() == data
    except OSError:
        return False


def is_folder(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Are these files there (relative path -> bytes), and nothing beside them?"""
    folders = {str(above) for name in files for above in PurePosixPath(name).parents}
    try:
        found = {path.relative_to(folder).as_posix(): path for path in (folder, *folder.rglob("*"))}
        return (
            found.keys() == files.keys() | folders
            and all(_is_safe(found[name], stat.S_IFDIR) for name in folders)
            and all(is_file(found[name], data) for name, data in files.items())
        )
    except OSError:
        return False


def _is_safe(path: Path, kind: int) -> bool:
    """Of this kind, ours or root's, and not for others to write."""
    status = path.lstat()
    ours = status.st_uid in (0, os.geteuid())
    return stat.S_IFMT(status.st_mode) == kind and ours and not status.st_mode & OTHERS_MAY_WRITE
