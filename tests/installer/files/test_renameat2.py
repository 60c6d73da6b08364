from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runaway.installer.files import renameat2
from runaway.installer.files.writer import Commit
from tests.support.files import OURS, add, delete, mode, remove, temporaries


def without_the_system_call(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(renameat2, "_system_call", lambda: None)


@pytest.mark.skipif(sys.platform != "linux", reason="the call is Linux's")
def test_two_files_trade_places(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    assert renameat2.exchange(first, second)
    assert (first.read_bytes(), second.read_bytes()) == (b"2", b"1")


def test_where_it_cannot_be_done_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_the_system_call(monkeypatch)
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    assert not renameat2.exchange(first, second)
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")


@pytest.mark.skipif(sys.platform != "linux", reason="the call is Linux's")
def test_a_missing_partner_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "first").touch()
    with pytest.raises(FileNotFoundError):
        renameat2.exchange(tmp_path / "first", tmp_path / "second")


@pytest.mark.parametrize("call", ["renameat2", "link"])
def test_placing_never_overwrites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    if call == "link":
        without_the_system_call(monkeypatch)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"new")
    renameat2.place(source, target)
    assert (target.read_bytes(), target.stat().st_nlink, source.exists()) == (b"new", 1, False)
    source.write_bytes(b"newer")
    with pytest.raises(FileExistsError):
        renameat2.place(source, target)
    assert (target.read_bytes(), source.read_bytes()) == (b"new", b"newer")


def test_a_system_without_the_call_edits_all_the_same(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_the_system_call(monkeypatch)
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    file.chmod(0o640)
    seen = []

    def slow(present: bytes | None) -> bytes:
        seen.append(present)
        if len(seen) == 1:
            file.write_bytes(b"newer\n")
        return add(present)

    writer.apply(file, slow)
    assert (file.read_bytes(), mode(file)) == (b"newer\n" + OURS, 0o640)
    writer.apply(file, remove)
    assert file.read_bytes() == b"newer\n"
    assert writer.apply(home / "new", add).action == "created"
    assert writer.apply(home / "new", delete).action == "removed"
    assert temporaries(home) == []
