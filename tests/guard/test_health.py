from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runaway.guard import health
from runaway.guard.health import MAX_LOG_BYTES, note
from runaway.guard.system import append_line as append


def fail(text: str) -> BaseException:
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def log(state: str) -> Path:
    return Path(state) / "health.log"


def test_a_line_tells_when_who_where_and_what(state: str) -> None:
    note([state], "claude", fail("went wrong"))
    when, harness, where, what = log(state).read_text().split(maxsplit=3)
    assert abs(int(when) - time.time()) < 60
    assert harness == "claude"
    assert where.startswith("test_health.py:")
    assert what == "ValueError: went wrong\n"
    assert log(state).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["a\nb\r\n\tc", "x" * 100_000, "\ud83d", "\x00", "é\u2028"])
def test_whatever_went_wrong_is_one_short_line(state: str, text: str) -> None:
    note([state], "claude", fail(text))
    data = log(state).read_bytes()
    assert data.count(b"\n") == 1
    assert len(data) < 700
    data.decode()


def test_an_error_that_was_never_raised_can_be_noted(state: str) -> None:
    note([state], "", KeyError("session_id"))
    assert "? KeyError: 'session_id'" in log(state).read_text()


def test_of_a_log_that_has_grown_large_the_newest_half_is_kept(state: str) -> None:
    log(state).parent.mkdir()
    old = "".join(
        f"{number:09} claude x.py:1 Error: old\n" for number in range(MAX_LOG_BYTES // 33 + 1)
    )
    log(state).write_text(old)
    for number in range(3):
        note([state], "claude", fail(f"new {number}"))
    lines = log(state).read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines[-3:]] == ["0", "1", "2"]
    assert 0.4 * MAX_LOG_BYTES < log(state).stat().st_size < 0.6 * MAX_LOG_BYTES
    assert lines[:-3] == old.splitlines()[-len(lines) + 3 :]


@pytest.mark.parametrize(
    "content", [b"x" * MAX_LOG_BYTES, bytes(3 * MAX_LOG_BYTES), b"\n" * MAX_LOG_BYTES]
)
def test_a_log_full_of_anything_takes_the_next_line(state: str, content: bytes) -> None:
    log(state).parent.mkdir()
    log(state).write_bytes(content)
    note([state], "claude", fail("last"))
    assert log(state).read_bytes().endswith(b"ValueError: last\n")
    assert log(state).stat().st_size < MAX_LOG_BYTES


def test_many_who_note_at_once_in_a_full_log_lose_little_and_tear_nothing(state: str) -> None:
    log(state).parent.mkdir()
    log(state).write_text("1796048451 claude x.py:1 Error: old\n" * (MAX_LOG_BYTES // 36 + 1))
    with ThreadPoolExecutor(8) as workers:
        list(workers.map(lambda number: note([state], "claude", fail(f"{number}")), range(100)))
    lines = log(state).read_text().splitlines()
    assert MAX_LOG_BYTES * 0.4 < log(state).stat().st_size < MAX_LOG_BYTES
    assert sum("ValueError" in line for line in lines) > 50
    assert all(len(line.split(" ", 3)) == 4 for line in lines)


def test_a_torn_last_line_does_not_swallow_the_next(state: str) -> None:
    log(state).parent.mkdir()
    log(state).write_text("17960")
    note([state], "claude", fail("next"))
    assert len(log(state).read_text().splitlines()) == 2


@pytest.mark.parametrize("hinder", ["a folder", "a link", "a pipe", "no folder"])
def test_where_the_first_place_cannot_be_written_the_second_is(tmp_path: Path, hinder: str) -> None:
    first, second = tmp_path / "state", tmp_path / "data"
    if hinder == "no folder":
        first.write_text("")
    else:
        first.mkdir()
    if hinder == "a folder":
        log(str(first)).mkdir()
    elif hinder == "a link":
        log(str(first)).symlink_to(tmp_path / "elsewhere")
    elif hinder == "a pipe":
        os.mkfifo(log(str(first)))
    note([str(first), str(second)], "claude", fail("went wrong"))
    assert log(str(second)).read_text().endswith("ValueError: went wrong\n")
    assert not (tmp_path / "elsewhere").exists()


def test_where_nothing_can_be_written_nothing_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    note([str(file)], "claude", fail("lost"))
    note(["/\x00"], "claude", fail("lost"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("target", ["victim", "missing"])
def test_a_link_is_never_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "victim").write_text("untouched")
    link = tmp_path / "log"
    link.symlink_to(tmp_path / target)
    with pytest.raises(OSError, match="symbolic"):
        append(str(link), "line\n", MAX_LOG_BYTES)
    assert (tmp_path / "victim").read_text() == "untouched"
    assert not (tmp_path / "missing").exists()


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    with pytest.raises(OSError, match="seek"):
        append(str(tmp_path / "log"), "line\n", MAX_LOG_BYTES)


def test_of_a_folder_that_serves_all_users_the_line_goes_into_the_users_own_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared/health.log").mkdir(parents=True)  # keeps root out too
    monkeypatch.setattr(health, "USERS_STATE", str(tmp_path / "own"))
    note([str(tmp_path / "shared")], "claude", fail("lost"))
    assert not (tmp_path / "own").exists()
    monkeypatch.setattr(health, "is_own", lambda folder: False)
    note([str(tmp_path / "shared")], "claude", fail("went wrong"))
    assert log(str(tmp_path / "own")).read_text().endswith("ValueError: went wrong\n")
