"""Turns what the system answers (an errno) into one sentence a person can act on."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal


class Fault(NamedTuple):
    code: str
    because: str
    fix: str


_NO_SPACE = Fault("no-space", "the disk is full", "Free some space and run the command again.")
_READ_ONLY = Fault(
    "read-only",
    "it is read-only here",
    "Make the file and its folder writable, or add the entry by hand.",
)
_FAULTS = {
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE._replace(because="the disk quota is used up"),
    errno.EROFS: _READ_ONLY._replace(because="the file system is mounted read-only"),
    errno.EACCES: _READ_ONLY._replace(because="permission is denied"),
    errno.EPERM: _READ_ONLY._replace(because="the system does not permit it"),
    errno.EIO: Fault(
        "io-error", "the disk reports an error", "Check the disk, then run the command again."
    ),
    errno.EXDEV: Fault(
        "cross-device",
        "it is mounted apart from its own folder",
        "Run the command where the file is not a mount of its own.",
    ),
    errno.ELOOP: Fault(
        "link-loop", "a link stands where a file was expected", "Look at the links on that path."
    ),
    errno.ENOTDIR: Fault(
        "not-a-folder", "a part of its path is not a folder", "Look at what lies on that path."
    ),
    errno.ENAMETOOLONG: Fault("name-too-long", "its path is too long", "Use a shorter path."),
}


def refusal(error: OSError, path: Path, doing: str) -> Refusal:
    """The sentence for `error`; `doing` is a verb with its object left out: "write", "read"."""
    fault = _FAULTS.get(error.errno or 0)
    if fault is None:
        reason = os.strerror(error.errno) if error.errno else str(error)
        fault = Fault("io-error", reason, "Look at that file, then run the command again.")
    if doing == "read" and fault.code == "read-only":
        fault = fault._replace(code="unreadable", fix="Make it readable for you.")
    return Refusal(
        f"Cannot {doing} {path}: {fault.because}.", code=fault.code, fix=fault.fix, path=path
    )


@contextmanager
def os_errors_as_refusals(path: Path, doing: str = "write") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refusal(error, path, doing) from error
