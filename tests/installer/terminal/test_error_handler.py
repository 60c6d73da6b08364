from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest
import typer

from runaway.installer.errors import Refusal
from runaway.installer.result import Message, Result
from runaway.installer.terminal import error_handler


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log of a bug goes into the state folder of this machine: a throw-away one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return tmp_path


def raising(error: BaseException) -> Result:
    raise error


ENDINGS: list[tuple[BaseException, int, str]] = [
    (Refusal("It is so."), 1, "refused"),
    (Refusal("Call it otherwise.", usage=True), 2, "refused"),
    (KeyboardInterrupt(), 130, "interrupted"),
    (typer.Abort(), 130, "interrupted"),
    (PermissionError(13, "Permission denied", "/home/u/.local/share/runaway"), 1, "refused"),
    (PermissionError(1, "Operation not permitted"), 1, "refused"),
    (ValueError("first line\nsecond line"), 3, "bug"),
    (RecursionError(), 3, "bug"),
]


@pytest.mark.parametrize(("error", "code", "status"), ENDINGS, ids=lambda value: repr(value)[:30])
def test_each_ending_has_its_exit_code_and_one_object(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, status: str
) -> None:
    assert error_handler.finish("setup", lambda: raising(error), json_wanted=True) == code
    told = json.loads(capsys.readouterr().out)
    assert (told["command"], told["exit_code"], told["status"]) == ("setup", code, status)


@pytest.mark.parametrize(("error", "code", "status"), ENDINGS, ids=lambda value: repr(value)[:30])
def test_a_person_never_sees_a_traceback(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, status: str
) -> None:
    error_handler.finish("setup", lambda: raising(error), json_wanted=False)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    assert len(shown.err.splitlines()) <= 2


def test_a_refusal_shows_its_sentence_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    refusal = Refusal("It is so.", fix="Do that.", code="some-id", path=Path("/x"))
    error_handler.finish("setup", lambda: raising(refusal), json_wanted=False)
    assert capsys.readouterr().err == "It is so.\n  Do that.\n"
    error_handler.finish("setup", lambda: raising(refusal), json_wanted=True)
    [message] = json.loads(capsys.readouterr().out)["messages"]
    assert (message["code"], message["path"], message["fix"]) == ("some-id", "/x", "Do that.")


def test_a_folder_that_we_may_not_enter_is_named_and_no_bug(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Such as one that an earlier run under sudo has made."""
    error = PermissionError(13, "Permission denied", "/home/u/.codex/hooks.json")
    error_handler.finish("status", lambda: raising(error), json_wanted=True)
    [message] = json.loads(capsys.readouterr().out)["messages"]
    assert (message["code"], message["path"]) == ("unreadable", "/home/u/.codex/hooks.json")
    assert "/home/u/.codex/hooks.json" in message["text"]
    assert message["fix"]


def test_a_bug_leaves_its_traceback_in_a_private_log(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    error_handler.finish("setup", lambda: raising(ValueError("odd \udcff")), json_wanted=False)
    told = os.fsdecode(capsysbinary.readouterr().err)
    log = Path(told.rsplit("report it with ", 1)[1].removesuffix(".\n"))
    assert log.is_relative_to(home)
    assert log.stat().st_mode & 0o077 == 0
    text = log.read_text()
    assert "Traceback" in text
    assert "ValueError: odd \\udcff" in text


def test_a_bug_is_told_even_where_no_log_can_be_written(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".local").write_bytes(b"in the way")
    assert error_handler.finish("setup", lambda: raising(ValueError("x")), json_wanted=False) == 3
    assert "ValueError: x" in capsys.readouterr().err
    gone = home / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert error_handler.finish("setup", lambda: raising(ValueError("y")), json_wanted=False) == 3


def test_results_go_to_stdout_and_problems_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    messages = (
        Message("error", "e", "An error.", fix="Mend it."),
        Message("warning", "w", "A warning."),
        Message("info", "i", "For programs."),
        Message("info", "next-step", "What is left."),
    )
    error_handler.show(
        Result("setup", "ok", messages=messages, lines=("A result.",)), json_wanted=False
    )
    shown = capsys.readouterr()
    assert shown.out == "A result.\nWhat is left.\n"
    assert shown.err == "An error.\n  Mend it.\nA warning.\n"


def test_what_a_line_says_already_is_not_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    messages = (Message("error", "e", "An error.", fix="Mend it."),)
    result = Result("doctor", "failed", 1, messages=messages, lines=("x check: An error.",))
    error_handler.show(result, json_wanted=False)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("x check: An error.\n", "")


@pytest.mark.parametrize("text", ["ünï 日本 ✓", "\udcff\udc80"])
def test_text_goes_out_as_utf_8_and_bytes_as_they_came(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    error_handler.say(text)
    assert raw.getvalue() == text.encode("utf-8", "surrogateescape") + b"\n"


def test_a_stream_without_bytes_is_served_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    error_handler.say("text")
    assert stream.getvalue() == "text\n"
