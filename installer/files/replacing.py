"""The one step that changes a target: create, exchange, edit in place or move away.

After an exchange the displaced file is looked at: is it not what was planned from, somebody wrote it
in the last moment, and it is swapped back at once. Until then a lease makes everybody who opens the
new file wait, so that its author does not miss it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal
from . import inplace
from .renameat2 import exchange, place, sync_folder
from .snapshot import Snapshot, lease, read_stable, try_read
from .temporary import Temporary, created, is_still, name_for, overwrite


class Replacement(NamedTuple):
    """Replace what lies `there`, and nothing else, by what is `wanted`.

    `save` keeps what lies there; it is called before those bytes are gone. `hurried`: sync the new
    file only after the exchange, because another program writes more often than the disk syncs; the
    displaced file stays until then.
    """

    target: Path
    there: Snapshot
    wanted: Snapshot
    state: Path
    save: Callable[[], object]
    hurried: bool = False


class _ChangedError(Exception):
    """The target is not, or was not, what was planned from."""


def replace_file(step: Replacement) -> bool:
    """False if the target has changed. Then, and on OSError or Refusal, it is as others left it."""
    try:
        if step.wanted.data is None:
            _move_away(step)
        elif step.there.status is not None and step.there.status.st_nlink > 1:
            _edit_in_place(step)
        else:
            _put_new_file(step)
    except (_ChangedError, FileNotFoundError):
        return False
    return True


def _put_new_file(step: Replacement) -> None:
    with created(step.target, step.wanted, step.state, sync=not step.hurried) as new:
        if new is None:
            _edit_in_place(step)
        elif step.there.data is None:
            _create(new, step)
        else:
            try:
                _replace(new, step)
            except OSError as error:
                if error.errno != errno.EBUSY:  # a mount point, as containers have for files
                    raise
                _edit_in_place(step)


def _create(new: Temporary, step: Replacement) -> None:
    try:
        place(new.path, step.target)
    except FileExistsError as error:
        raise _ChangedError from error
    sync_folder(step.target.parent)


def _edit_in_place(step: Replacement) -> None:
    assert step.there.data is not None
    assert step.wanted.data is not None
    step.save()
    if not inplace.edit(step.target, step.there.data, step.wanted.data, step.state):
        raise _ChangedError


def _replace(new: Temporary, step: Replacement) -> None:
    now = _check(read_stable(step.target), step.there)
    swap_back = partial(_swap_back, new, step)
    with lease(new.file, "F_WRLCK"):
        _check_quickly(step.target, now)
        if not exchange(new.path, step.target):
            _rename_over(new, step)
            return
        with _undoing(swap_back):
            _check_quickly(new.path, now)
            _check(try_read(new.path), now)
    with _undoing(swap_back):
        if step.hurried:
            os.fsync(new.file)
        _let_go(new.path, step)


def _rename_over(new: Temporary, step: Replacement) -> None:
    """Where two files cannot be exchanged; what lay there is not seen again."""
    step.save()
    os.fsync(new.file)
    os.replace(new.path, step.target)
    sync_folder(step.target.parent)


def _move_away(step: Replacement) -> None:
    now = _check(read_stable(step.target), step.there)
    aside = step.target.with_name(name_for(step.state, b""))
    os.rename(step.target, aside)
    with _undoing(partial(place, aside, step.target)):
        _check(try_read(aside), now)
        _let_go(aside, step)


def _let_go(aside: Path, step: Replacement) -> None:
    step.save()
    sync_folder(step.target.parent)
    _check(try_read(aside), step.there)  # by now whoever had been about to write into it has
    os.unlink(aside)


def _check(seen: Snapshot | None, expected: Snapshot) -> Snapshot:
    if seen != expected or seen is None:
        raise _ChangedError
    return seen


def _check_quickly(path: Path, seen: Snapshot) -> None:
    """Some microseconds before and after the exchange are all that others have."""
    if seen.status is None or _identity(os.lstat(path)) != _identity(seen.status):
        raise _ChangedError


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


@contextmanager
def _undoing(undo: Callable[[], object]) -> Iterator[None]:
    """What `undo` cannot put back lies under its temporary name, and `sweep` makes it a backup."""
    try:
        yield
    except BaseException:
        with suppress(OSError, Refusal):
            undo()
        raise


def _swap_back(new: Temporary, step: Replacement) -> None:
    newest = None
    with suppress(OSError, Refusal):
        newest = try_read(new.path)
    if not exchange(new.path, step.target):
        return
    if not is_still(new.path, new.file) or new.read() != step.wanted.data:
        exchange(new.path, step.target)  # written since, so it is newer than what returned
    elif newest is not None and newest.data is not None:
        overwrite(new.file, newest.data)  # for those who wait to read it
