"""Whether a file is ours to change. Asked of modes and owners, so that root hears the same answer.

A missing write bit is its owner's statement (a dotfiles manager's, Nix's) even where the system
would let us write; renaming over such a file, as some installers do, ignores that statement.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import Refusal
from .faults import os_errors_as_refusals
from .links import Resolved
from .ownership import refuse_foreign
from .snapshot import Snapshot

BY_HAND = "Make it writable, or add the entry by hand where the file is managed."


def check(where: Resolved, seen: Snapshot) -> tuple[Path, ...]:
    """The folders that must be made first, outermost first.

    Raises Refusal `read-only`, `not-ours`, `unsafe-folder` or `foreign-folder`.
    """
    refuse_foreign(where.named.parent)
    with os_errors_as_refusals(where.target):
        if seen.status is not None:
            _check_file(where.target, seen.status)
        missing, folder = _missing_folders(where.target)
        status = os.stat(folder)
        _check_folder(where.target, folder, status)
        holder = seen.status or status
        for link in where.links:
            _check_link(link, holder)
    return missing


def _check_file(target: Path, status: os.stat_result) -> None:
    if not status.st_mode & stat.S_IWUSR:
        raise _refused(target, "read-only", f"{target} is read-only.", BY_HAND)
    if os.geteuid() not in (0, status.st_uid):
        raise _refused(
            target,
            "not-ours",
            f"{target} belongs to another user (uid {status.st_uid}).",
            "Run the command as that user.",
        )


def _check_folder(target: Path, folder: Path, status: os.stat_result) -> None:
    mode = status.st_mode
    if not stat.S_ISDIR(mode):
        raise _refused(
            target, "not-a-folder", f"{folder} is not a folder.", "Move it out of the way."
        )
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise _refused(
            target,
            "unsafe-folder",
            f"Everybody may replace files in {folder}.",
            f"Take the right away with: chmod o-w '{folder}'",
        )
    if not mode & stat.S_IWUSR or not _may_write(folder):
        raise _refused(target, "read-only", f"The folder {folder} is read-only.", BY_HAND)


def _may_write(folder: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=effective)


def _check_link(link: Path, holder: os.stat_result) -> None:
    """A link may be set by root or by whoever owns what it leads to, or it was planted."""
    owner = os.lstat(link).st_uid
    if owner not in (0, holder.st_uid):
        raise _refused(
            link,
            "not-ours",
            f"The link {link} was set by another user (uid {owner}).",
            "Look at where it leads; remove it or set it again yourself.",
        )


def _missing_folders(target: Path) -> tuple[tuple[Path, ...], Path]:
    missing = []
    for folder in target.parents:
        if os.path.lexists(folder):
            break
        missing.append(folder)
    return tuple(reversed(missing)), folder


def _refused(path: Path, code: str, text: str, fix: str) -> Refusal:
    return Refusal(text, code=code, fix=fix, path=path)
