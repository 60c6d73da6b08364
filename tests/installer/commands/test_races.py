"""Setup and uninstall while others write the same settings, and several runs at once: real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from runaway.installer.commands import setup
from runaway.installer.interpreter import choose
from runaway.installer.machine import Machine
from runaway.installer.result import Result
from tests.installer.files import other_program
from tests.support.files import temporaries
from tests.support.installer import (
    bare_machine,
    entry,
    in_file,
    unwire,
    user_file,
    wire,
)

SCRIPT = Path(sys.executable).with_name("runaway")
STYLES = ["rename"]
if sys.platform == "linux":
    STYLES.append("in-place")  # only Linux tells who has a file open for writing
PLAIN = b'{\n  "model": "opus"\n}\n'


@pytest.mark.parametrize("style", STYLES)
def test_another_writer_loses_no_key_and_no_run_fails(machine: Machine, style: str) -> None:
    set_up_and_uninstall_beside_another_writer(machine, style, rounds=10)


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
def test_another_writer_loses_no_key_in_200_rounds(machine: Machine, style: str) -> None:
    """Yeachan-Heo/oh-my-claudecode#2584, anthropics/claude-code#91520."""
    set_up_and_uninstall_beside_another_writer(machine, style, rounds=200)


def set_up_and_uninstall_beside_another_writer(machine: Machine, style: str, rounds: int) -> None:
    """What it read before a run of ours it may write after it: only when it has ended we look."""
    file = user_file(machine, b'{"kept": 1}')
    interpreter = choose(machine)
    wire(machine, harnesses=("cursor",))  # it needs the guard's code, so that is made only once
    with mock.patch.object(setup, "choose", return_value=interpreter):
        with other_writer(file, style) as other:
            for number in range(rounds):
                succeed(partial(wire, machine))
                succeed(partial(unwire, machine, restore=number % 2 == 1))
        assert other.returncode == 0
        assert wire(machine).exit_code == 0
    document = json.loads(file.read_bytes())
    assert document.pop("hooks") == {"PreToolUse": [entry(machine)]}
    assert document == {"kept": 1, "theirs": document["theirs"]}
    assert document["theirs"] > rounds / 10
    unwire(machine)
    assert b"launch" not in file.read_bytes()
    assert temporaries(machine.home) == []


def succeed(run: Callable[[], Result]) -> None:
    """At the second attempt at the latest: another writer may have put back what we had taken out."""
    first = run()
    assert first.exit_code == 0 or run().exit_code == 0, first


@contextmanager
def other_writer(file: Path, style: str) -> Iterator[subprocess.Popen[str]]:
    """It has seen all its keys if it ends with 0."""
    command = [sys.executable, other_program.__file__, str(file), style]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "started\n"
        try:
            yield other
        finally:
            file.with_name("stop").touch()
            other.stdout.read()


def start(machine: Machine, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [SCRIPT, *arguments],
        cwd=machine.home,
        env={"HOME": str(machine.home), "PATH": os.defpath},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("code_is_there", [True, False])
def test_several_setups_at_once_make_one_entry(
    machine: Machine, tmp_path: Path, code_is_there: bool
) -> None:
    used = machine if code_is_there else bare_machine(tmp_path / "home")
    file = user_file(used, PLAIN)
    runs = [start(used, "setup", "--non-interactive", "--harness", "claude") for _ in range(3)]
    said = [run.communicate()[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert in_file(file) == [entry(used)]
    assert unwire(used, restore=True).exit_code == 0
    assert file.read_bytes() == PLAIN


def test_setup_and_uninstall_at_once_end_as_if_one_came_after_the_other(machine: Machine) -> None:
    """Uninstall removes the very lock that setup waits for."""
    file = user_file(machine, PLAIN)
    for _ in range(4):
        assert wire(machine).exit_code == 0
        runs = [
            start(machine, "uninstall", "--yes"),
            start(machine, "setup", "--non-interactive", "--harness", "claude"),
        ]
        said = [run.communicate()[1] for run in runs]
        assert [run.returncode for run in runs] == [0, 0], said
        code_is_there = any((machine.data / "guard").glob("*/run.py"))
        assert (file.read_bytes() != PLAIN) is code_is_there
