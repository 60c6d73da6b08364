"""Edits a file without replacing it: for hard links, mount points and owners we cannot give away.

Such a write is not atomic, so a note in the state folder holds both versions while it lasts. When a
killed run left exactly a mixture of the two, the next run that is to change the same file finishes the
write. A note may be planted: it is looked up by the file, never the file by the note, and nothing is
written that whoever knows the file does not vouch for.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import Refusal
from . import private, snapshot
from .snapshot import MAX_FILE_BYTES, READ_FLAGS, backoff, busy, lease, read_all, read_stable
from .temporary import overwrite


def edit(target: Path, old: bytes, new: bytes, state: Path) -> bool:
    """False if the file does not hold `old` any more; nothing has happened then."""
    file = os.open(target, os.O_RDWR | READ_FLAGS)
    try:
        for _ in backoff(snapshot.PATIENCE):
            with lease(file, "F_WRLCK") as alone:
                if alone:
                    return read_all(file) == old and _write(file, target, old, new, state)
        raise busy(target)
    finally:
        os.close(file)


def _write(file: int, target: Path, old: bytes, new: bytes, state: Path) -> bool:
    private.folder(state / "unfinished")
    note = _note(state, target)
    private.replace(note, _pack(target, old, new))
    try:
        _fill(file, new)
    except BaseException:
        _fill(file, old)  # a failure here too leaves the note for the next run
        os.unlink(note)
        raise
    os.unlink(note)
    return True


def _fill(file: int, data: bytes) -> None:
    overwrite(file, data)
    os.fsync(file)


def is_noted(state: Path, target: Path) -> bool:
    return os.path.lexists(_note(state, target))


def heal(state: Path, target: Path, vouch: Callable[[bytes, bytes], bool]) -> None:
    """Finish what a killed run left half written in `target`. Only under our lock.

    `vouch(old, new)`: may the file hold the one as well as the other?
    """
    private.require_private(state / "unfinished")
    note = _note(state, target)
    with suppress(OSError, Refusal):  # the note then stays for a run that can read the file
        versions = _unpack(private.read(note, 4 * MAX_FILE_BYTES), target)
        if versions is None or _finish(target, *versions, vouch):
            os.unlink(note)


def _finish(target: Path, old: bytes, new: bytes, vouch: Callable[[bytes, bytes], bool]) -> bool:
    """False if the file is torn and has to stay so."""
    torn = read_stable(target).data
    if torn is None or torn in (old, new) or not is_mixture(torn, old, new):
        return True
    if not vouch(old, new):
        return False
    file = os.open(target, os.O_RDWR | READ_FLAGS)
    try:
        _fill(file, new)
    finally:
        os.close(file)
    return True


def is_mixture(torn: bytes, old: bytes, new: bytes) -> bool:
    """Whether `torn` can be what an interrupted write of one version over the other left."""
    shorter, longer = sorted((old, new), key=len)
    if not len(shorter) <= len(torn) <= len(longer):
        return False
    shared = zip(torn, shorter, longer, strict=False)
    return torn[len(shorter) :] == longer[len(shorter) : len(torn)] and all(
        byte in versions for byte, *versions in shared
    )


def _note(state: Path, target: Path) -> Path:
    key = hashlib.sha256(os.fsencode(target)).hexdigest()[:32]
    return state / "unfinished" / f"{key}.json"


def _pack(target: Path, old: bytes, new: bytes) -> bytes:
    versions = [base64.b64encode(data).decode("ascii") for data in (old, new)]
    return json.dumps({"target": str(target), "versions": versions}).encode("ascii")


def _unpack(data: bytes, target: Path) -> tuple[bytes, bytes] | None:
    """Both versions; None for a note that is damaged or speaks of another file."""
    try:
        note = json.loads(data)
        old, new = (base64.b64decode(version, validate=True) for version in note["versions"])
        return (old, new) if note["target"] == str(target) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
