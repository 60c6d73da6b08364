from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.snapshot import (
    MAX_FILE_BYTES,
    Snapshot,
    backoff,
    lease,
    read_stable,
    try_read,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")


def test_no_file_is_a_snapshot_too(tmp_path: Path) -> None:
    assert read_stable(tmp_path / "none", 0o640) == Snapshot(None, 0o640)


def test_snapshots_are_equal_by_bytes_and_mode(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_bytes(b"x")
    other.write_bytes(b"x")
    assert read_stable(file) == read_stable(other)
    other.chmod(0o600)
    file.chmod(0o640)
    assert read_stable(file) != read_stable(other)
    other.chmod(0o640)
    other.write_bytes(b"y")
    assert read_stable(file) != read_stable(other)


def test_the_largest_file_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with file.open("wb") as out:
        out.truncate(MAX_FILE_BYTES)
    assert read_stable(file).data == bytes(MAX_FILE_BYTES)
    with file.open("ab") as out:
        out.write(b"x")
    with pytest.raises(Refusal) as caught:
        read_stable(file)
    assert caught.value.code == "too-large"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads it all the same")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    file.chmod(0)
    with pytest.raises(Refusal) as caught:
        read_stable(file)
    assert caught.value.code == "unreadable"


@linux
def test_a_file_is_not_looked_at_while_somebody_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with file.open("wb"):
        assert try_read(file) is None
    assert try_read(file) is not None
    with file.open("rb"):
        assert try_read(file) is not None


@linux
@pytest.mark.parametrize(
    ("kind", "others", "granted"),
    [
        ("F_RDLCK", os.O_RDONLY, True),
        ("F_RDLCK", os.O_WRONLY, False),
        ("F_WRLCK", os.O_RDONLY, False),
        ("F_WRLCK", os.O_WRONLY, False),
    ],
)
def test_a_lease_is_granted_unless_others_are_in_the_way(
    tmp_path: Path, kind: str, others: int, granted: bool
) -> None:
    path = tmp_path / "file"
    path.touch()
    ours, theirs = os.open(path, os.O_RDONLY), os.open(path, others)
    try:
        with lease(ours, kind) as answer:
            assert answer is granted
        os.close(theirs)
        with lease(ours, kind) as answer:
            assert answer
    finally:
        os.close(ours)


@linux
def test_a_lease_ends_with_its_block_even_by_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    ours = os.open(path, os.O_RDONLY)
    try:
        with pytest.raises(ZeroDivisionError), lease(ours, "F_RDLCK"):
            raise ZeroDivisionError
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    finally:
        os.close(ours)


def test_pauses_grow_and_end() -> None:
    waits = list(backoff(2.0))
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (0.001, 0.05)
    assert 2.0 <= sum(waits) < 2.1
