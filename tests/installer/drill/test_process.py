from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runaway.installer.drill.process import Finished, run

SPAWNS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(float(sys.argv[1]))
"""


def python(tmp_path: Path, code: str, *arguments: str, timeout: float = 30) -> Finished:
    command = [sys.executable, "-c", code, *arguments]
    return run(command, environment={"ONLY": "this"}, cwd=tmp_path, timeout=timeout)


def test_it_gives_back_all_that_was_said(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    finished = python(tmp_path, code)
    assert (finished.exit_code, finished.stdout, finished.stderr) == (7, b"out\n", b"err\n")


def test_it_runs_where_and_with_what_it_is_told(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd(), os.environ.get('ONLY'), 'HOME' in os.environ)"
    assert python(tmp_path, code).stdout.decode() == f"{tmp_path} this False\n"


def test_nobody_answers_what_it_asks(tmp_path: Path) -> None:
    assert python(tmp_path, "import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_a_program_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run([tmp_path / "absent"], environment={}, cwd=tmp_path, timeout=5)


@pytest.mark.skipif(os.name == "nt", reason="process groups are of POSIX")
def test_out_of_time_it_is_killed_with_its_children_and_what_it_said_is_kept(
    tmp_path: Path,
) -> None:
    finished = python(tmp_path, SPAWNS, "60", timeout=1)
    assert finished.exit_code is None
    wait_until_gone(int(finished.stdout))


def wait_until_gone(pid: int) -> None:
    for _ in range(100):
        if is_gone(pid):
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} still runs")


def is_gone(pid: int) -> bool:
    """A killed process whose parent is gone too is a zombie until somebody collects it."""
    ps = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(ps, check=False, capture_output=True, text=True).stdout.strip()
    return state == "" or state.startswith("Z")
