"""Setup and uninstall are killed at every system call, or meet a full disk at every step.

What the next run makes of it is what was there before, byte for byte.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from runaway.installer import deploy, policy_file
from runaway.installer.commands import setup
from runaway.installer.deploy import Deployed
from runaway.installer.errors import Refusal
from runaway.installer.files import backups, retry
from runaway.installer.files.snapshot import Snapshot, read_stable
from runaway.installer.interpreter import Interpreter
from runaway.installer.machine import Machine
from runaway.installer.result import Result
from tests.installer.files.test_faults import Fault, counting
from tests.support.files import temporaries
from tests.support.installer import (
    PLAIN,
    bare_machine,
    entry,
    in_file,
    row,
    unwire,
    user_file,
    wire,
)

needs_ptrace = pytest.mark.skipif(sys.platform != "linux", reason="kills by ptrace(2)")

if sys.platform == "linux":
    from tests.installer.files.tracing import killed_at


class Case(NamedTuple):
    name: str
    old: bytes | None
    hard_linked: bool = False


CASES = [Case("a file", PLAIN), Case("no file", None), Case("a hard link", PLAIN, True)]
EACH_CASE = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
# Each kill is a run and its repair: at every call that takes minutes.
STEPS = pytest.mark.parametrize(
    "step", [47, pytest.param(1, marks=pytest.mark.long)], ids=["some calls", "every call"]
)


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder where syncing costs nothing."""
    folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=folder) as name:
        yield Path(name)


@pytest.fixture(autouse=True)
def without_code() -> Iterator[None]:
    """Settings files are all that matters here; compiling the guard takes seconds each time."""
    with ExitStack() as stack:
        nothing = Deployed(Path("/launch"), Path("/guard"), changed=False)
        python = Interpreter(Path(sys.executable), (3, 11), "tag")
        stack.enter_context(mock.patch.object(deploy, "deploy", return_value=nothing))
        stack.enter_context(mock.patch.object(policy_file, "install", return_value=False))
        stack.enter_context(mock.patch.object(setup, "choose", return_value=python))
        yield


def prepared(home: Path, case: Case) -> Machine:
    machine = bare_machine(home)
    file = user_file(machine, case.old)
    if case.hard_linked:
        os.link(file, file.with_name("other"))
    return machine


def content(machine: Machine) -> bytes | None:
    file = user_file(machine)
    return file.read_bytes() if file.exists() else None


def each_kill(
    memory: Path, step: int, prepare: Callable[[Path], Machine], verb: Callable[[Machine], object]
) -> Iterator[Machine]:
    """A machine on which `verb` was killed at a system call, each `step` calls later than before."""
    number, killed = 0, True
    while killed:
        number += step
        machine = prepare(memory / "home")
        killed = killed_at(number, partial(verb, machine))
        yield machine
        assert temporaries(machine.home) == []
        shutil.rmtree(machine.home)
    assert number > 50


def is_as_before(machine: Machine, case: Case) -> bool:
    """The file, the folder made for it, and nothing of ours beside it."""
    there = user_file(machine).parent.exists()
    return content(machine) == case.old and there is (case.old is not None)


def restored(machine: Machine) -> Result:
    result = unwire(machine, restore=True)
    assert result.exit_code == 0, result
    return result


@needs_ptrace
@STEPS
@EACH_CASE
def test_a_killed_setup_is_taken_back_by_uninstall(memory: Path, case: Case, step: int) -> None:
    for machine in each_kill(memory, step, partial(prepared, case=case), wire):
        left = content(machine)
        result = restored(machine)
        assert is_as_before(machine, case), left
        assert {one["action"] for one in result.data["files"]} <= {"restored"}


@needs_ptrace
@STEPS
@EACH_CASE
def test_a_killed_setup_is_finished_by_the_next(memory: Path, case: Case, step: int) -> None:
    for machine in each_kill(memory, step, partial(prepared, case=case), wire):
        done = wire(machine)
        assert (done.exit_code, in_file(user_file(machine))) == (0, [entry(machine)])
        assert row(restored(machine))["action"] == "restored"
        assert is_as_before(machine, case)


def set_up(home: Path, case: Case) -> Machine:
    machine = prepared(home, case)
    wire(machine)
    return machine


@needs_ptrace
@STEPS
@EACH_CASE
def test_a_killed_uninstall_is_finished_by_the_next(memory: Path, case: Case, step: int) -> None:
    for machine in each_kill(memory, step, partial(set_up, case=case), restored):
        unwire(machine, restore=True, purge=True)
        assert is_as_before(machine, case)
        kept = [one.path for one in backups.list_backups(machine.state)]
        assert user_file(machine) not in kept


def edited_since(home: Path) -> Machine:
    machine = set_up(home, CASES[0])
    file = user_file(machine)
    file.write_bytes(file.read_bytes().replace(b"opus", b"sonnet"))
    return machine


@needs_ptrace
@STEPS
def test_however_often_uninstall_is_killed_the_backup_of_a_newer_file_stays(
    memory: Path, step: int
) -> None:
    for machine in each_kill(memory, step, edited_since, restored):
        restored(machine)
        assert content(machine) == PLAIN.replace(b"opus", b"sonnet")
        kept = [one.content.read_bytes() for one in backups.list_backups(machine.state)]
        assert PLAIN in kept


# -- a full disk


def full_at_each_step(memory: Path, case: Case, *, lasting: bool) -> Iterator[Machine]:
    """Setup, run on a disk that is full at its n-th call (`lasting`: from then on)."""
    with counting() as counts:
        wire(prepared(memory / "healthy", case))
    steps = [(name, n + 1) for name in ("pwrite", "fsync", "mkdir") for n in range(counts[name])]
    assert len(steps) > 10
    for name, nth in steps:
        machine = prepared(memory / "home", case)
        with counting(Fault(name, nth, errno.ENOSPC, lasting)):
            told_truly(machine)
        yield machine
        shutil.rmtree(machine.home)


def told_truly(machine: Machine) -> None:
    """Our entry is in the file, or setup says that it is not."""
    try:
        action = row(wire(machine))["action"]
    except Refusal:
        action = "refused"
    assert (action == "refused") is (b"runaway" not in (content(machine) or b""))


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_setup_on_a_full_disk_says_what_is_so_and_can_be_taken_back(
    memory: Path, case: Case, lasting: bool
) -> None:
    for machine in full_at_each_step(memory, case, lasting=lasting):
        restored(machine)
        assert is_as_before(machine, case)


def test_what_fails_once_the_entry_is_in_the_file_is_told_and_is_no_refusal(memory: Path) -> None:
    machine = prepared(memory / "home", CASES[0])

    def failing(path: Path, mode: int) -> Snapshot:
        """The look at what was written."""
        if b"runaway" in path.read_bytes():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read_stable(path, mode)

    with mock.patch.object(retry, "read_stable", failing):
        result = wire(machine)
    assert in_file(user_file(machine)) == [entry(machine)]
    assert (row(result)["action"], result.exit_code) == ("added", 0)
    assert [one.code for one in result.messages if one.level == "warning"] == ["io-error"]
    assert row(restored(machine))["action"] == "restored"
    assert is_as_before(machine, CASES[0])
