from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from runaway.guard import health
from runaway.guard.health import LARGEST, note
from runaway.guard.system import append_line as append


def fail(text: str) -> BaseException:
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def log(state: str) -> Path:
    return Path(state) / "health.log"


def test_a_line_tells_when_who_where_and_what(state: str) -> None:
    note(state, "claude", fail("went wrong"))
    when, harness, where, what = log(state).read_text().split(maxsplit=3)
    assert abs(int(when) - time.time()) < 60
    assert harness == "claude"
    assert where.startswith("test_health.py:")
    assert what == "ValueError: went wrong\n"
    assert log(state).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["a\nb\r\n\tc", "x" * 100_000, "\ud83d", "\x00", "é\u2028"])
def test_whatever_went_wrong_is_one_short_line(state: str, text: str) -> None:
    note(state, "claude", fail(text))
    data = log(state).read_bytes()
    assert data.count(b"\n") == 1
    assert len(data) < 700
    data.decode()


def test_an_error_that_was_never_raised_can_be_noted(state: str) -> None:
    note(state, "", KeyError("session_id"))
    assert "? KeyError: 'session_id'" in log(state).read_text()


def test_the_log_does_not_grow_for_ever(state: str) -> None:
    note(state, "claude", fail("first"))
    log(state).write_bytes(b"x" * LARGEST)
    note(state, "claude", fail("last"))
    assert log(state).stat().st_size == LARGEST


def test_where_nothing_can_be_written_nothing_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    note(str(file), "claude", fail("lost"))
    note("/\x00", "claude", fail("lost"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("target", ["victim", "missing"])
def test_a_link_is_never_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "victim").write_text("untouched")
    link = tmp_path / "log"
    link.symlink_to(tmp_path / target)
    with pytest.raises(OSError, match="symbolic"):
        append(str(link), "line\n", LARGEST)
    assert (tmp_path / "victim").read_text() == "untouched"
    assert not (tmp_path / "missing").exists()


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    with pytest.raises(OSError, match="No such device"):
        append(str(tmp_path / "log"), "line\n", LARGEST)


def test_of_a_folder_that_serves_all_users_the_line_goes_into_the_users_own_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared/health.log").mkdir(parents=True)  # keeps root out too
    monkeypatch.setattr(health, "USERS_STATE", str(tmp_path / "own"))
    note(str(tmp_path / "shared"), "claude", fail("lost"))
    assert not (tmp_path / "own").exists()
    monkeypatch.setattr(health, "is_own", lambda folder: False)
    note(str(tmp_path / "shared"), "claude", fail("went wrong"))
    assert log(str(tmp_path / "own")).read_text().endswith("ValueError: went wrong\n")
