"""Our own state folder: made for us alone, read and written without following planted links."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from contextlib import suppress
from itertools import chain
from pathlib import Path

from ..errors import Refusal
from .faults import os_errors_as_refusals
from .ownership import name_of, refuse_foreign
from .renameat2 import sync_folder
from .snapshot import READ_FLAGS, read_all
from .temporary import write_all

BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_FOLDERS = ("backups", "receipts", "unfinished")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def state_folder(state: Path, mode: int = 0o700) -> Path:
    """Makes it if need be. It may itself be a link of the user's; nothing inside it may."""
    refuse_foreign(state)
    with os_errors_as_refusals(state):
        state.mkdir(mode=mode, parents=True, exist_ok=True)
        _vouch(state, os.stat(state), stat.S_IWOTH)  # as whoever made it may have left it
    return state


def folder(path: Path, mode: int = 0o700) -> Path:
    """Makes the folder inside the state folder if need be. Raises Refusal `unsafe-state`."""
    state_folder(path.parent, mode)
    with os_errors_as_refusals(path), suppress(FileExistsError):
        os.mkdir(path, mode)
    return require_private(path)


def require_private(path: Path) -> Path:
    """The folder inside the state folder, unless it was planted: Refusal `unsafe-state`."""
    with os_errors_as_refusals(path, "read"), suppress(FileNotFoundError):
        _vouch(path, os.lstat(path), BY_OTHERS)
    return path


def _is_ours(status: os.stat_result, forbidden: int) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & forbidden


def _vouch(path: Path, status: os.stat_result, forbidden: int) -> None:
    if stat.S_ISDIR(status.st_mode) and _is_ours(status, forbidden):
        return
    refuse_foreign(path)
    raise Refusal(
        f"{path} must be a folder that belongs to you and that others cannot write to.",
        code="unsafe-state",
        fix=_remedy(path, status),
        path=path,
    )


def _remedy(path: Path, status: os.stat_result) -> str:
    """What an earlier release made under sudo is the person's own."""
    if stat.S_ISDIR(status.st_mode) and status.st_uid == 0:
        return f"If it was made under sudo, run `sudo chown -R {name_of(os.geteuid())} {path}`."
    return "Look at who made it, and move it away."


def create(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Raises FileExistsError; never follows a link, never overwrites."""
    file = os.open(path, _NEW, mode & 0o600)
    try:
        os.fchmod(file, mode)  # whatever the umask
        write_all(file, data)
        os.fsync(file)
    finally:
        os.close(file)


def replace(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Old or new, never half: the name holds a whole file at any moment."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    with os_errors_as_refusals(path):
        try:
            create(temporary, data, mode)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        sync_folder(path.parent)


def sweep(state: Path) -> None:
    """Clears what killed runs left. Only under our lock: then nothing of it is in use."""
    leftovers = [require_private(state / name).glob(".*.tmp") for name in _FOLDERS]
    for leftover in chain.from_iterable(leftovers):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            with suppress(OSError):
                os.unlink(leftover)


def read(path: Path, largest: int) -> bytes:
    """Raises OSError, or Refusal `unsafe-state` for what cannot be a file of ours."""
    require_private(path.parent)
    file = os.open(path, os.O_RDONLY | READ_FLAGS)
    try:
        status = os.fstat(file)
        ours = stat.S_ISREG(status.st_mode) and _is_ours(status, BY_OTHERS)
        if not ours or status.st_size > largest:
            raise Refusal(
                f"{path} is not a file that this program wrote.",
                code="unsafe-state",
                fix="Look at it, and move it away.",
                path=path,
            )
        return read_all(file)
    finally:
        os.close(file)
