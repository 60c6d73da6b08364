"""What a file held before we changed it: kept under its content's hash, never overwritten.

    backups/<id>/content       the exact bytes, mode never wider than the source's
    backups/<id>/origin.json   {"path", "time", "sha256"}

A backup is a folder that is filled under another name and then renamed, so it is whole or absent.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal
from . import private
from .faults import os_errors_as_refusals
from .renameat2 import sync_folder
from .snapshot import MAX_FILE_BYTES

_ID = re.compile(r"([0-9a-f]{32})-[0-9a-f]{8}")
_MAX_ORIGIN_BYTES = 64 * 1024


class Backup(NamedTuple):
    """`path` and `time` (UTC) are None when the origin file is damaged; `size` in bytes.

    The id holds digests of content and path, so a backup whose parts do not belong together shows.
    """

    id: str
    path: Path | None
    time: datetime | None
    size: int
    content: Path


def save(state: Path, path: Path, data: bytes, mode: int) -> str:
    """The id of the backup, an earlier one if `path` held these very bytes before."""
    folder = private.folder(state / "backups")
    backup = _id(path, data)
    with os_errors_as_refusals(folder / backup):
        if os.path.lexists(folder / backup):
            load(state, backup)
            return backup
        staging = folder / f".{secrets.token_hex(8)}.tmp"
        try:
            _fill(staging, path, data, mode)
            os.rename(staging, folder / backup)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        sync_folder(folder)
    return backup


def load(state: Path, backup: str) -> bytes:
    """Raises Refusal `no-backup` or `damaged-backup`."""
    content = _content(state, backup)
    with os_errors_as_refusals(content, "read"):
        if not _is_folder(content.parent):
            raise _refused("no-backup", f"There is no backup {backup}.", content)
        data = private.read(content, MAX_FILE_BYTES)
    if not backup.startswith(hashlib.sha256(data).hexdigest()[:32]):
        raise _refused("damaged-backup", f"{content} is not what was saved there.", content)
    return data


def list_backups(state: Path) -> tuple[Backup, ...]:
    """The oldest first; what is not a backup of ours is left out."""
    folder = private.require_private(state / "backups")
    found = []
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):
            if _ID.fullmatch(name) and _is_folder(folder / name):
                with suppress(OSError):
                    found.append(_describe(folder / name))
    return tuple(sorted(found, key=lambda backup: (backup.time or _LONG_AGO, backup.id)))


def prune(
    state: Path, *, before: datetime | None = None, keep: Collection[str] = ()
) -> tuple[Backup, ...]:
    """Removes and tells the backups made before `before` (all if None) but for those in `keep`."""
    doomed = tuple(
        backup
        for backup in list_backups(state)
        if backup.id not in keep and (before is None or (backup.time or _LONG_AGO) < before)
    )
    for backup in doomed:
        leaving = state / "backups" / f".{secrets.token_hex(8)}.tmp"
        with os_errors_as_refusals(backup.content, "remove"):
            os.rename(backup.content.parent, leaving)
            shutil.rmtree(leaving)
    return doomed


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _id(path: Path, data: bytes) -> str:
    return f"{hashlib.sha256(data).hexdigest()[:32]}-{_whence(path)}"


def _whence(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:8]


def _fill(staging: Path, path: Path, data: bytes, mode: int) -> None:
    origin = {
        "path": str(path),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    os.mkdir(staging, 0o700)
    private.create(staging / "content", data, mode & 0o600)
    private.create(staging / "origin.json", json.dumps(origin, indent=2).encode("ascii"))
    sync_folder(staging)


def _content(state: Path, backup: str) -> Path:
    if not _ID.fullmatch(backup):
        raise _refused("no-backup", f"{backup!r} is not the id of a backup.", None)
    return private.require_private(state / "backups") / backup / "content"


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _describe(folder: Path) -> Backup:
    content = folder / "content"
    path, time = None, None
    with suppress(OSError, Refusal, ValueError, KeyError, TypeError, RecursionError):
        origin = json.loads(private.read(folder / "origin.json", _MAX_ORIGIN_BYTES))
        path, time = Path(origin["path"]), datetime.fromisoformat(origin["time"]).astimezone(UTC)
        path = path if folder.name.endswith(f"-{_whence(path)}") else None
    return Backup(folder.name, path, time, os.lstat(content).st_size, content)


def _refused(code: str, text: str, path: Path | None) -> Refusal:
    fix = "See what there is with: runaway backups list"
    return Refusal(text, code=code, fix=fix, path=path)
