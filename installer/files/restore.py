"""Gives back the exact bytes from before setup, as long as nothing else has changed since."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import Refusal
from . import backups
from .links import resolve
from .receipts import Receipt, digest
from .writer import Transform


def restoring(
    state: Path, receipt: Receipt, proven: Callable[[bytes | None, bytes | None], bool]
) -> Transform:
    """The edit that undoes what `receipt` tells; None as its result removes the file.

    Neither receipt nor backup is believed: `proven(before, present)` tells of the bytes whether
    they differ by our entry alone. Here or when the edit is applied, Refusal `changed-since` says that
    only our entry can be taken out, and `no-backup` or `damaged-backup` that the earlier bytes are gone.
    """
    became_link = receipt.before is None and receipt.path.is_symlink()
    if became_link or resolve(receipt.path).links != receipt.links:
        raise _changed(state, receipt)
    earlier = _earlier(state, receipt)

    def restored(present: bytes | None) -> bytes | None:
        if present != earlier and not proven(earlier, present):
            raise _changed(state, receipt)
        return earlier

    return restored


def _earlier(state: Path, receipt: Receipt) -> bytes | None:
    if receipt.before is None:
        return None
    if receipt.backup is None:
        raise _changed(state, receipt)
    data = backups.load(state, receipt.backup)
    if digest(data) != receipt.before:
        raise _changed(state, receipt)
    return data


def _changed(state: Path, receipt: Receipt) -> Refusal:
    where, fix = "there is no backup of it", "Look at the file and take out what you do not want."
    if receipt.backup is not None:
        where = f"its backup is {state / 'backups' / receipt.backup / 'content'}"
        fix = f"See the version from before with: runaway backups show {receipt.backup}"
    return Refusal(
        f"{receipt.path} was changed since setup, so the version from before is not put back;"
        f" {where}.",
        code="changed-since",
        fix=fix,
        path=receipt.path,
    )
