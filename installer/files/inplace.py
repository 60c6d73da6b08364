"""Edits a file without replacing it: for hard links, mount points and owners we cannot give away.

Such a write is not atomic, so a note in the state folder holds both versions while it lasts. When a
killed run left exactly a mixture of the two, the next run finishes the write.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from runaway.installer.errors import Refusal
from runaway.installer.files import private, snapshot
from runaway.installer.files.snapshot import LARGEST, LOOK, busy, lease, pauses, read_all, take
from runaway.installer.files.temporary import overwrite


def edit(target: Path, old: bytes, new: bytes, state: Path) -> bool:
    """False if the file does not hold `old` any more; nothing has happened then."""
    file = os.open(target, os.O_RDWR | LOOK)
    try:
        for _ in pauses(snapshot.PATIENCE):
            with lease(file, "F_WRLCK") as alone:
                if alone:
                    return read_all(file) == old and _write(file, target, old, new, state)
        raise busy(target)
    finally:
        os.close(file)


def _write(file: int, target: Path, old: bytes, new: bytes, state: Path) -> bool:
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


def heal(state: Path) -> None:
    """Finishes what killed runs left half written. Only under our lock."""
    for note in private.vouched(state / "unfinished").glob("*.json"):
        with suppress(OSError, Refusal):  # the note then stays for a run that can read the file
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                _finish(*_unpack(private.read(note, 4 * LARGEST)))
            os.unlink(note)


def _finish(target: Path, old: bytes, new: bytes) -> None:
    torn = take(target).data
    if torn is None or torn in (old, new) or not is_mixture(torn, old, new):
        return
    file = os.open(target, os.O_RDWR | LOOK)
    try:
        _fill(file, new)
    finally:
        os.close(file)


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
    return private.folder(state / "unfinished") / f"{key}.json"


def _pack(target: Path, old: bytes, new: bytes) -> bytes:
    versions = [base64.b64encode(data).decode("ascii") for data in (old, new)]
    return json.dumps({"target": str(target), "versions": versions}).encode("ascii")


def _unpack(data: bytes) -> tuple[Path, bytes, bytes]:
    note = json.loads(data)
    old, new = (base64.b64decode(version) for version in note["versions"])
    return Path(note["target"]), old, new
