"""Processes as a harness starts its hooks: through shells, with pipes, from a terminal or not."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from runaway.guard import attendance

TELL = """\
import sys
sys.path.insert(0, {root!r})
from runaway.guard.attendance import at_terminal
print(at_terminal(lambda word: word == "-p"))
"""
# Stands in for a harness: runs its hook, the first argument, with pipes as node does.
HARNESS = """\
import subprocess, sys
said = subprocess.run(sys.argv[1], shell=True, input=b"{}", capture_output=True).stdout
open(sys.argv[2], "wb").write(said)
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing tells elsewhere")


def attended(folder: Path, *options: str, wrapper: str = "{}", piped: bool = False) -> bool:
    """What a hook finds that is run, inside `wrapper`, by a program on a terminal."""
    root = str(Path(attendance.__file__).parents[1].resolve())
    (folder / "tell.py").write_text(TELL.format(root=root))
    hook = shlex.join([sys.executable, str(folder / "tell.py")])
    harness = [sys.executable, "-c", HARNESS, wrapper.format(hook), str(folder / "said")]
    ours, theirs = pty.openpty()
    try:
        stdin = subprocess.DEVNULL if piped else theirs
        subprocess.run([*harness, *options], stdin=stdin, stdout=theirs, check=True, timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)
    return (folder / "said").read_text().strip() == "True"


@pytest.mark.parametrize("wrapper", ["{}", "{} ; true", "sh -c '{} || true; true'; true"])
def test_a_program_on_a_terminal_is_found_behind_its_shells(tmp_path: Path, wrapper: str) -> None:
    assert attended(tmp_path, "-y", wrapper=wrapper)


def test_an_option_that_prevents_it_counts(tmp_path: Path) -> None:
    assert not attended(tmp_path, "-y", "-p")


def test_a_program_that_reads_from_somewhere_else_is_not_attended(tmp_path: Path) -> None:
    assert not attended(tmp_path, piped=True)


def test_where_nothing_can_be_seen_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(attendance, "readlink", hidden)
    assert not attendance.at_terminal(lambda _: False)
