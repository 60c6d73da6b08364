"""The one step that changes a target: create, exchange, edit in place or move away.

Each form says whether it was done; if not, the target had changed and is as others left it. After an
exchange the displaced file is looked at: is it not what was planned from, somebody wrote it in the
last moment, and it is swapped back at once, before its author can miss it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from runaway.installer.errors import Refusal
from runaway.installer.files import inplace, temporary
from runaway.installer.files.snapshot import Snapshot, glance, take
from runaway.installer.files.swap import exchange, place, sync_file, sync_folder


class Step(NamedTuple):
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


def put(step: Step) -> bool:
    """Raises OSError or Refusal, with the target as it was."""
    if step.wanted.data is None:
        return _move_away(step)
    if step.there.data is None:
        return _create(step)
    if step.there.status is not None and step.there.status.st_nlink > 1:
        return _edit_in_place(step)
    temp = temporary.create(step.target, step.wanted, step.state, sync=not step.hurried)
    if temp is None:
        return _edit_in_place(step)
    try:
        return _replace(temp, step)
    except OSError as error:
        if error.errno != errno.EBUSY:  # a mount point, as containers have for single files
            raise
        return _edit_in_place(step)


def _create(step: Step) -> bool:
    temp = temporary.create(step.target, step.wanted, step.state)
    assert temp is not None  # a new file has no owner to keep
    try:
        place(temp, step.target)
    except FileExistsError:
        return False
    finally:
        _unlink(temp)
    sync_folder(step.target.parent)
    return True


def _replace(temp: Path, step: Step) -> bool:
    swapped = False
    try:
        now = take(step.target)
        if now != step.there or _have_parted(step.target, now):
            return False
        swapped = exchange(temp, step.target)
        if not swapped:
            _rename_over(temp, step)
    except FileNotFoundError:
        return False
    finally:
        if not swapped:
            _unlink(temp)
    return not swapped or _account_for(temp, step, now)


def _rename_over(temp: Path, step: Step) -> None:
    """Where two files cannot be exchanged; what lay there is not seen again."""
    step.save()
    sync_file(temp)
    os.replace(temp, step.target)
    sync_folder(step.target.parent)


def _edit_in_place(step: Step) -> bool:
    assert step.there.data is not None
    assert step.wanted.data is not None
    step.save()
    return inplace.edit(step.target, step.there.data, step.wanted.data, step.state)


def _move_away(step: Step) -> bool:
    now = take(step.target)
    if now != step.there:
        return False
    aside = step.target.with_name(temporary.name_for(step.state, b""))
    try:
        os.rename(step.target, aside)
    except FileNotFoundError:
        return False
    return _account_for(aside, step, now)


def _account_for(aside: Path, step: Step, last: Snapshot) -> bool:
    """Whether the displaced file is what was planned from; if so it goes, else it returns."""
    try:
        if not _have_parted(aside, last) and glance(aside) == step.there:
            step.save()
            if step.hurried and step.wanted.data is not None:
                sync_file(step.target)
            sync_folder(step.target.parent)
            if glance(aside) == step.there:  # nobody had been about to write into it
                os.unlink(aside)
                return True
    except BaseException:
        with suppress(OSError, Refusal):
            _give_back(aside, step)
        raise
    _give_back(aside, step)
    return False


def _have_parted(path: Path, seen: Snapshot) -> bool:
    """The quick look: some microseconds before and after the exchange are all that others have."""
    now, then = os.lstat(path), seen.status
    return then is None or _identity(now) != _identity(then)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def _give_back(aside: Path, step: Step) -> None:
    """Unless somebody has written a newer version since: then the older one is left to `sweep`."""
    if step.wanted.data is None:
        with suppress(FileExistsError):
            place(aside, step.target)
    elif exchange(aside, step.target):
        if glance(aside) == step.wanted:
            os.unlink(aside)
        else:
            exchange(aside, step.target)


def _unlink(temp: Path) -> None:
    with suppress(FileNotFoundError):
        os.unlink(temp)
