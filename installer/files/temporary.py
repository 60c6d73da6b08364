"""The temporary file beside a target: made without following links, never wider than the target.

Its name tells which state folder it belongs to, so that whoever holds that folder's lock knows it to
be a leftover, and the hash of what was to be written. A leftover with other bytes may be somebody's
last version, swapped out and not yet looked at: it becomes a backup.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal
from .snapshot import Snapshot, read_stable

_NAME = re.compile(r"\.runaway-([0-9a-f]{8})-[0-9a-f]{16}-([0-9a-f]{16})\.tmp")
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOREIGN_IS_STALE = 3600.0  # seconds after which nobody can be using it any more


def name_for(state: Path, data: bytes) -> str:
    return f".runaway-{_mark(state)}-{secrets.token_hex(8)}-{_hash(data)}.tmp"


def _mark(state: Path) -> str:
    """The same path may be another folder in a container that shares the user's files."""
    status = os.stat(state)
    return hashlib.sha256(f"{status.st_dev}:{status.st_ino}".encode()).hexdigest()[:8]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


class Temporary(NamedTuple):
    path: Path
    file: int  # open for reading and writing

    def read(self) -> bytes:
        return os.pread(self.file, os.fstat(self.file).st_size, 0)


@contextmanager
def created(
    target: Path, wanted: Snapshot, state: Path, *, sync: bool = True
) -> Iterator[Temporary | None]:
    """A file beside `target` with the wanted bytes, mode, owner and attributes.

    None if the owner cannot be kept: the target must then be edited in place. If the file still has
    its temporary name in the end, it goes.
    """
    assert wanted.data is not None
    path = target.with_name(name_for(state, wanted.data))
    file = os.open(path, _NEW, 0o600 & wanted.mode)
    try:
        kept = _fill(file, target, wanted)
        if kept and sync:
            os.fsync(file)
        yield Temporary(path, file) if kept else None
    finally:
        try:
            if is_still(path, file):
                os.unlink(path)
        finally:
            os.close(file)


def is_still(path: Path, file: int) -> bool:
    """Whether `path` names the open file, and not one that took its place."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _fill(file: int, target: Path, wanted: Snapshot) -> bool:
    assert wanted.data is not None
    write_all(file, wanted.data)
    if wanted.status is not None:
        if not _copy_owner(file, wanted.status):
            return False
        _copy_attributes(target, file)
    os.fchmod(file, wanted.mode)
    return True


def write_all(file: int, data: bytes) -> None:
    """Writes at the start of the file, whatever the present position."""
    done = 0
    view = memoryview(data)
    while done < len(data):
        done += os.pwrite(file, view[done:], done)


def overwrite(file: int, data: bytes) -> None:
    write_all(file, data)
    os.ftruncate(file, len(data))


def _copy_owner(file: int, status: os.stat_result) -> bool:
    ours = os.fstat(file)
    if (ours.st_uid, ours.st_gid) == (status.st_uid, status.st_gid):
        return True
    try:
        os.fchown(file, status.st_uid, status.st_gid)
    except PermissionError:
        return False
    return True


def _copy_attributes(target: Path, file: int) -> None:
    """Access lists, labels and user attributes, as far as this system and user may set them."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        wanted = {name: os.getxattr(target, name) for name in os.listxattr(target)}
        present = os.listxattr(file)
        for name in present:
            # An access list inherited from the folder would let in users the target keeps out.
            if name not in wanted and name.startswith("system."):
                os.removexattr(file, name)
        for name, value in wanted.items():
            with suppress(OSError):
                os.setxattr(file, name, value)


def sweep(folder: Path, state: Path, save: Callable[[Path, Snapshot], object]) -> None:
    """Clears what killed runs left in `folder`. Only under the lock of `state`."""
    with suppress(OSError):
        mark = _mark(state)
        for name in os.listdir(folder):
            if match := _NAME.fullmatch(name):
                with suppress(Refusal, OSError):
                    _clear(folder / name, match[1] == mark, match[2], save)


def _clear(
    leftover: Path, ours: bool, intended: str, save: Callable[[Path, Snapshot], object]
) -> None:
    status = os.lstat(leftover)
    if status.st_uid not in (0, os.geteuid()):
        return
    if not ours and time.time() - status.st_ctime < _FOREIGN_IS_STALE:
        return
    seen = read_stable(leftover)
    if seen.data and _hash(seen.data) != intended:
        save(leftover, seen)
    os.unlink(leftover)
