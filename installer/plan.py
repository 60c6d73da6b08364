"""What would change, as values: nothing here changes a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .documents.values import Created
from .errors import Refusal
from .launch_command import may_name

Transform = Callable[[bytes | None], bytes | None]


class Rewrite(NamedTuple):
    """The wanted bytes of a file (None: it should not exist), and the containers made on the way."""

    data: bytes | None
    created: tuple[Created, ...] = ()


class Target(NamedTuple):
    """One file of a harness and what to do to it; both functions are pure and may be called again.

    `install_entry` adds or renews our entries; `remove_entry` takes them out, and with them the
    containers that a receipt says were created for them, where these are empty again. Both raise
    Refusal.
    """

    harness: str
    scope: str
    path: Path
    install_entry: Callable[[bytes | None], Rewrite]
    remove_entry: Callable[[bytes | None, tuple[Created, ...]], Rewrite]
    snippet: Callable[[], str]  # what to paste by hand where we must not write


def holds_entry(target: Target, data: bytes | None) -> bool:
    """Parsed, not searched for. Raises Refusal where that cannot be done."""
    return target.remove_entry(data, ()).data != data


def without_entry(
    target: Target, data: bytes | None, created: tuple[Created, ...], *, made: bool
) -> bytes | None:
    """`data` without our entry; None where setup `made` the file and nothing else is in it."""
    rest = target.remove_entry(data, created).data
    return None if made and rest != data and not (rest or b"").strip() else rest


def is_our_edit(
    target: Target, before: bytes | None, after: bytes | None, created: tuple[Created, ...]
) -> bool:
    """Is `after` nothing but `before` with our entry put in? Asked of the bytes alone."""
    try:
        if holds_entry(target, before) or not holds_entry(target, after):
            return False
        taken_out = without_entry(target, after, created, made=before is None)
        return taken_out == before or target.install_entry(before).data == after
    except Refusal:
        return False


def is_installed(target: Target) -> bool:
    """Does it hold an entry of ours? A broken one counts when it names the launcher."""
    try:
        data = target.path.read_bytes() if target.path.is_file() else None
    except OSError:  # it is there, and who knows
        return True
    try:
        return holds_entry(target, data)
    except Refusal:
        return may_name(data or b"")
