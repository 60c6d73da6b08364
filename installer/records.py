"""What the guard wrote down, read as checked values: a damaged record is counted, never believed.

The files lie where an agent can write, and a process may be killed while it appends to them. So any
line can be torn, of another shape, or made up.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from .files.faults import refusal
from .files.snapshot import READ_FLAGS, read_all
from .result import Message

MAX_FILE_BYTES = 16 * 1024 * 1024  # bytes; of a longer file the end is read
LATEST = 200_000_000_000.0  # Unix time that every platform has a date for (year 8307)
MAX_DOLLARS = 1 << 30

Record = Mapping[str, Any]
Row = TypeVar("Row")


class Records(NamedTuple, Generic[Row]):
    """The sound rows in their order, and a warning for whatever could not be read."""

    rows: tuple[Row, ...] = ()
    problems: tuple[Message, ...] = ()


def records(path: Path, row: Callable[[Record], Row]) -> Records[Row]:
    """One row per line of JSON; `row` raises ValueError for a record that makes no sense."""
    try:
        lines = tail(path)
    except OSError as error:
        return Records(problems=(unreadable(path, error),))
    rows, bad = [], 0
    for line in lines:
        try:
            rows.append(row(parsed(line)))
        except ValueError:
            bad += 1
    return Records(tuple(rows), damaged(bad, "line", path))


def tail(path: Path) -> list[bytes]:
    """The lines at the end of a file, none where there is no file; OSError for a link, pipe or folder."""
    try:
        file = os.open(path, os.O_RDONLY | READ_FLAGS)
    except FileNotFoundError:
        return []
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        skipped = max(0, status.st_size - MAX_FILE_BYTES)
        os.lseek(file, skipped, os.SEEK_SET)
        lines = read_all(file).split(b"\n")
    finally:
        os.close(file)
    return [line for line in lines[1 if skipped else 0 :] if line]


def entries(folder: Path) -> tuple[list[Path], tuple[Message, ...]]:
    """What lies in a folder, sorted by name; nothing where there is none."""
    try:
        return sorted(folder.iterdir()), ()
    except FileNotFoundError:
        return [], ()
    except OSError as error:
        return [], (unreadable(folder, error),)


def parsed(text: bytes | str) -> Record:
    """One JSON object; ValueError for anything else."""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return table(value)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def table(value: object) -> Record:
    if not isinstance(value, dict):
        raise ValueError("not an object")  # one kind of error for all that is damaged
    return value


def text(record: Record, name: str, default: str | None = None) -> str:
    value = record.get(name, default)
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value


def flag(record: Record, name: str) -> bool:
    value = record.get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{name} is neither true nor false")
    return value


def number(
    record: Record, name: str, default: float | None = None, largest: float = LATEST
) -> float:
    """A finite number from 0 to `largest`."""
    return amount(record.get(name, default), largest)


def amount(value: object, largest: float = LATEST) -> float:
    """The same for a value that has no name; NaN, infinities and true are none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= largest:
        return value
    raise ValueError(f"expected a number from 0 to {largest:g}")


def dollars(record: Record, name: str, default: float | None = None) -> float:
    return float(number(record, name, default, MAX_DOLLARS))


def moment(record: Record, name: str, default: float | None = None) -> float:
    """A Unix time."""
    return float(number(record, name, default))


def damaged(count: int, what: str, path: Path) -> tuple[Message, ...]:
    """The warning that so many lines or files were passed over; none for none."""
    if not count:
        return ()
    told = f"{count} {what}{'s' if count > 1 else ''} of {path.name} could not be read"
    return (Message("warning", "damaged-records", f"{told}.", path=str(path)),)


def unreadable(path: Path, error: OSError) -> Message:
    told = refusal(error, path, "read")
    text = told.text if error.errno != errno.EINVAL else f"Cannot read {path}: {error.strerror}."
    return Message("warning", "unreadable-records", text, path=str(path), fix=told.fix)
