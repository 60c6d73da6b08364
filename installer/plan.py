"""What would change, as values: nothing here changes a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from runaway.installer.command import may_name
from runaway.installer.documents.values import Created
from runaway.installer.errors import Refusal

Transform = Callable[[bytes | None], bytes | None]


class Rewrite(NamedTuple):
    """The wanted bytes of a file (None: it should not exist), and the containers made on the way."""

    data: bytes | None
    created: tuple[Created, ...] = ()


class Target(NamedTuple):
    """One file of a harness and what to do to it; both functions are pure and may be called again.

    `wire` adds or renews our entries; `unwire` takes them out, and with them the containers that a
    receipt says were created for them, where these are empty again. Both raise Refusal.
    """

    harness: str
    scope: str
    path: Path
    wire: Callable[[bytes | None], Rewrite]
    unwire: Callable[[bytes | None, tuple[Created, ...]], Rewrite]
    snippet: Callable[[], str]  # what to paste by hand where we must not write


def is_wired(target: Target) -> bool:
    """Does it hold an entry of ours? A broken one counts when it names the launcher."""
    try:
        data = target.path.read_bytes() if target.path.is_file() else None
    except OSError:  # it is there, and who knows
        return True
    try:
        return target.unwire(data, ()).data != data
    except Refusal:
        return may_name(data or b"")
