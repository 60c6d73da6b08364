from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runaway.guard.transcripts import tail
from runaway.guard.transcripts.tail import first_line, new_lines

if TYPE_CHECKING:
    from runaway.guard.state import Cursor


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"one\ntwo\n")
    return path


def test_every_line_is_told_once(log: Path) -> None:
    first = new_lines(str(log), ())
    assert first.lines == [b"one", b"two"]
    assert not first.left
    assert new_lines(str(log), first.cursor).lines == []
    with log.open("ab") as file:
        file.write(b"three\n")
    assert new_lines(str(log), first.cursor).lines == [b"three"]


def test_a_torn_last_line_waits_until_it_is_whole(log: Path) -> None:
    log.write_bytes(b"one\ntw")
    news = new_lines(str(log), ())
    assert news.lines == [b"one"]
    assert not news.left
    log.write_bytes(b"one\ntwo\n")
    news = new_lines(str(log), news.cursor)
    assert (news.lines, news.rewritten) == ([b"two"], False)


def test_only_a_newline_ends_a_line(log: Path) -> None:
    odd = "a\u2028b\u2029c\x0bd\x1ee\x85f\rg".encode()
    log.write_bytes(odd + b"\n")
    assert new_lines(str(log), ()).lines == [odd]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="emptied"),
        pytest.param(b"one\n", id="shrunk"),
        pytest.param(b"ONE\nTWO\nthree\n", id="rewritten in place"),
    ],
)
def test_a_file_that_is_another_one_is_read_from_its_start(log: Path, text: bytes) -> None:
    cursor = new_lines(str(log), ()).cursor
    log.write_bytes(text)
    news = new_lines(str(log), cursor)
    assert news.rewritten
    assert news.lines == text.split(b"\n")[:-1]


def test_a_file_replaced_by_a_longer_one_with_the_same_start_is_read_from_its_start(
    log: Path,
) -> None:
    cursor = new_lines(str(log), ()).cursor
    other = log.with_name("other")
    other.write_bytes(b"one\ntwo\nthree\n")
    other.replace(log)
    news = new_lines(str(log), cursor)
    assert news.rewritten
    assert news.lines == [b"one", b"two", b"three"]


def test_what_is_too_large_for_one_reading_comes_with_the_next(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "READ", 10)
    log.write_bytes(b"".join(b"%d\n" % number for number in range(10)))
    read: list[bytes] = []
    cursor: Cursor = ()
    left = [20]
    while left[-1]:
        news = new_lines(str(log), cursor)
        read += news.lines
        cursor = news.cursor
        left.append(news.left)
    assert left == [20, 10, 0]
    assert read == [b"%d" % number for number in range(10)]


@pytest.mark.parametrize("length", [9, 10, 11, 29, 30, 31, 95])
def test_only_a_line_longer_than_the_largest_is_left_out_and_it_blocks_nothing(
    log: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(tail, "READ", 10)
    monkeypatch.setattr(tail, "MAX_LINE_BYTES", 30)
    log.write_bytes(b"before\n" + b"x" * length + b"\nafter\n")
    news = new_lines(str(log), ())
    read = news.lines
    while news.left:
        news = new_lines(str(log), news.cursor)
        read = read + news.lines
    assert read[0] == b"before"
    assert read[-1] == b"after"
    assert (b"x" * length in read) == (length < 30)


def test_a_long_line_that_is_still_being_written_waits(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "READ", 10)
    log.write_bytes(b"x" * 25)
    news = new_lines(str(log), ())
    assert (news.lines, news.left, news.cursor[:1]) == ([], 0, (0,))
    with log.open("ab") as file:
        file.write(b"\n")
    assert new_lines(str(log), news.cursor).lines == [b"x" * 25]


@pytest.mark.parametrize("name", ["missing", "folder", "pipe", "nul\0"])
def test_what_is_no_file_has_nothing_new_and_does_not_hang(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    path = f"{tmp_path}/{name}"
    news = new_lines(path, ())
    assert (news.lines, news.cursor, news.left, news.rewritten) == ([], (), 0, False)
    assert first_line(path, 100) == (b"", 0.0)


def test_a_file_that_vanishes_keeps_its_cursor(log: Path) -> None:
    cursor = new_lines(str(log), ()).cursor
    log.unlink()
    assert new_lines(str(log), cursor).cursor == cursor


def test_links_are_followed(log: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(log)
    assert new_lines(f"{tmp_path}/link", ()).lines == [b"one", b"two"]


def test_the_first_line_is_told_only_when_it_is_whole(log: Path) -> None:
    assert first_line(str(log), 100)[0] == b"one"
    assert first_line(str(log), 3)[0] == b""
    log.write_bytes(b"on")
    assert first_line(str(log), 100)[0] == b""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(b"one\n\ntwo\n", [b"one", b"two"], id="one"),
        pytest.param(b"one\n" + b"\n" * 1_000_000 + b"two\n", [b"one", b"two"], id="a million"),
        pytest.param(b"\n" * 12_345, [b""], id="nothing else"),
        pytest.param(b"\r\n\r\n", [b"\r", b"\r"], id="of another kind"),
    ],
)
def test_blank_lines_are_not_told_one_by_one(log: Path, text: bytes, lines: list[bytes]) -> None:
    log.write_bytes(text)
    news = new_lines(str(log), ())
    assert (news.lines, news.left, news.cursor[:1]) == (lines, 0, (len(text),))


def test_behind_a_long_line_no_more_than_that_line_is_read(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "READ", 10)
    log.write_bytes(b"a line that is long\n" + b"x\n" * 10)
    news = new_lines(str(log), ())
    assert (news.lines, news.left) == ([b"a line that is long"], 20)
