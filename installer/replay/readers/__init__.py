"""Readers of past sessions: one per log format, told apart by what the first records say.

Where the guard reads a harness's logs, its reader is taken; here is only what it has none for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..events import Session
from . import earlier, guarded, opencode, pi, plain
from .lines import Record, members, parsed

MAX_RECORD_BYTES = 1 << 23  # bytes; as the guard, which leaves longer lines out
LOOKED_AT = 1 << 20  # bytes of a file, after which the record that is read is the last


def sessions(path: Path) -> Iterator[Session]:
    """The sessions in one file; nothing when it is no session log."""
    if opencode.is_database(path):
        yield from opencode.stored(path)
        return
    for record in _first_records(path):
        found = _recognised(path, record)
        if found:
            yield found
            return


def _recognised(path: Path, record: Record) -> Session | None:
    return guarded.recognised(path, record) or next(
        (
            reader.session(path, record)
            for reader in (pi, opencode, plain)
            if reader.is_first(record)
        ),
        None,
    )


def _first_records(path: Path) -> Iterator[Record]:
    """Those that may tell the format: a document, or else the lines of the beginning."""
    whole = earlier.document(path) or opencode.document(path)
    if whole:
        yield whole
        return
    size = 0
    with path.open("rb") as file:
        while size < LOOKED_AT and (line := file.readline(MAX_RECORD_BYTES)):
            size += len(line)
            record = members(parsed(line.removeprefix(b"\xef\xbb\xbf")))
            if record:
                yield record
