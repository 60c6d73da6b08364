"""Renames that tell the truth: exchange two files, or place one only where none is.

renameat2(2) has no wrapper in Python. The exchange hands back what really lay at the target, so
that a version another program wrote in the last moment is seen instead of lost.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_NOREPLACE = 1
_EXCHANGE = 2
# EPERM: what old container filters answer for a call they do not know.
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}


def exchange(first: Path, second: Path) -> bool:
    """False where the system or the file system cannot; nothing has happened then."""
    return _renameat2(first, second, _EXCHANGE)


def place(source: Path, target: Path) -> None:
    """Raises FileExistsError where a target already is."""
    if not _renameat2(source, target, _NOREPLACE):
        os.link(source, target, follow_symlinks=False)
        os.unlink(source)


def _renameat2(source: Path, target: Path, flag: int) -> bool:
    call = _system_call()
    if call is None:
        return False
    import ctypes  # noqa: PLC0415 - slow to load, and not needed to read

    names = os.fsencode(source), os.fsencode(target)
    if call(_AT_FDCWD, names[0], _AT_FDCWD, names[1], flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(target))


@cache
def _system_call() -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - slow to load, and not needed to read

    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def sync_folder(folder: Path) -> None:
    """Makes a rename in `folder` last through a power cut."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    except OSError as error:
        # Some network and FUSE file systems cannot sync a folder; the rename itself has happened.
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
    finally:
        os.close(file)
