from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import pytest

from runaway.installer import colour
from runaway.installer.result import Message, Result
from runaway.installer.terminal import error_handler, progress

RED, GREEN, YELLOW, CYAN, BOLD, END = (f"\x1b[{n}m" for n in (31, 32, 33, 36, 1, 0))


ERASE = "\x1b[2K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@contextmanager
def on_terminal() -> Iterator[Terminal]:
    screen = Terminal()
    with redirect_stdout(screen), redirect_stderr(screen):
        yield screen


def test_a_terminal_gets_colour_and_a_pipe_none() -> None:
    assert colour.wanted(Terminal())
    assert not colour.wanted(io.StringIO())


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_none_gets_none(
    monkeypatch: pytest.MonkeyPatch, variable: tuple[str, str]
) -> None:
    monkeypatch.setenv(*variable)
    assert not colour.wanted(Terminal())


def test_an_empty_no_color_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    assert colour.wanted(Terminal())


DIFF = "--- a\n+++ b\n@@ -1 +1 @@\n same\n-old\n+new"
PAINTED = (
    f"{BOLD}--- a{END}\n{BOLD}+++ b{END}\n{CYAN}@@ -1 +1 @@{END}\n same\n"
    f"{RED}-old{END}\n{GREEN}+new{END}"
)


def test_a_diff_is_painted_line_by_line() -> None:
    assert colour.diff(DIFF) == PAINTED


CHECKS = [
    ("✗ claude x: no", f"{RED}✗{END} claude x: no"),
    ("! x: y!", f"{YELLOW}!{END} x: y!"),
    ("  Codex  ✓    ✗", f"  Codex  {GREEN}✓{END}    {RED}✗{END}"),
    ("plain", "plain"),
]


@pytest.mark.parametrize(("line", "wanted"), CHECKS)
def test_the_marks_of_the_doctor_are_painted(line: str, wanted: str) -> None:
    assert colour.checks(line) == wanted


def test_on_a_terminal_a_result_is_painted_and_nothing_else_steers_it() -> None:
    result = Result("setup", "ok", lines=(DIFF, "\x1b"), paint=colour.diff, exact=True)
    with on_terminal() as screen:
        error_handler.show(result, json_wanted=False)
    assert screen.getvalue() == f"{PAINTED}\n\\x1b\n"


def test_problems_are_red_or_yellow() -> None:
    messages = (Message("error", "a", "bad"), Message("warning", "b", "odd", fix="mend"))
    with on_terminal() as screen:
        error_handler.show(Result("setup", "ok", messages=messages), json_wanted=False)
    assert screen.getvalue() == f"{RED}bad{END}\n{YELLOW}odd{END}\n  mend\n"


@pytest.mark.parametrize(("exact", "wanted"), [(True, "a\x1b\n"), (False, "a\\x1b\n")])
def test_in_a_pipe_only_a_diff_keeps_its_bytes(
    capsys: pytest.CaptureFixture[str], exact: bool, wanted: str
) -> None:
    error_handler.show(Result("setup", "ok", lines=("a\x1b",), exact=exact), json_wanted=False)
    assert capsys.readouterr().out == wanted


def test_json_is_never_painted() -> None:
    with on_terminal() as screen:
        error_handler.show(
            Result("setup", "ok", lines=("- x",), paint=colour.diff), json_wanted=True
        )
    assert json.loads(screen.getvalue())["command"] == "setup"


# -- progress


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.line() as tell:
        tell("working")
    with progress.bar("working") as advance:
        advance(1, 2)
    assert capsys.readouterr() == ("", "")


def test_progress_can_be_hidden() -> None:
    with on_terminal() as screen, progress.line(hidden=True) as tell:
        tell("working")
    assert screen.getvalue() == ""


def test_on_a_dumb_terminal_progress_is_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with on_terminal() as screen, progress.line() as tell:
        tell("one")
        tell("two")
    assert screen.getvalue() == "one\ntwo\n"


def test_on_a_terminal_each_text_replaces_the_last() -> None:
    with on_terminal() as screen, progress.line() as tell:
        tell("[markup] is text")
    assert "[markup] is text" in screen.getvalue()
    assert screen.getvalue().endswith(ERASE)
