"""Each case is lived through once: dry run, setup twice, uninstall, setup again, uninstall --restore.

The commands run on real files in a scratch home. The guard's code is in place from the start and
stays, for another agent is wired all the time; which Python runs it is found out only once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from runaway.installer.command import command_for
from runaway.installer.commands import setup
from runaway.installer.interpreter import choose
from runaway.installer.machine import Machine
from runaway.installer.result import Result
from tests.corpus.case import Case, Harness, Texts, texts
from tests.installer.files.support import tree
from tests.installer.support import NASTY, bare_machine, row, unwire, wire

IN_MEMORY = Path("/dev/shm")  # syncing costs nothing there

LONG_AGO = 1_000_000_000
Tree = dict[str, tuple[object, ...]]


class Moment(NamedTuple):
    """What the file holds, everything below the home, and when our own folders were written to."""

    data: bytes | None
    home: Tree
    own: Tree


class Step(NamedTuple):
    """What a command told, and how things were afterwards."""

    result: Result
    then: Moment


class Walk(NamedTuple):
    """`patched` is the file as `patch` makes it of the dry run's diff."""

    case: Case
    home: Path
    file: Path
    texts: Texts
    placed: Moment
    planned: Step
    patched: bytes | None
    wired: Step
    again: Step
    unplanned: Step
    unwired: Step
    restored: Step


class House:
    """A machine for the corpus of one harness; each case gets a home of its own on it."""

    def __init__(self, harness: Harness, machine: Machine) -> None:
        self._harness = harness
        self._machine = machine
        self._homes = machine.home.with_name("homes")
        self._homes.mkdir()

    def walk(self, case: Case) -> Walk:
        home = self._homes / str(len(os.listdir(self._homes)))
        home.mkdir()
        machine = self._machine._replace(home=home, cwd=home)
        try:
            return _walk(case, self._harness, machine)
        finally:
            shutil.rmtree(machine.state / "backups", ignore_errors=True)


@contextmanager
def house(harness: Harness) -> Iterator[House]:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None) as at:
        machine = bare_machine(Path(at) / NASTY)
        interpreter = choose(machine)
        with mock.patch.object(setup, "choose", lambda _: interpreter):
            other = "cursor" if harness.name == "claude" else "claude"
            assert wire(machine, harnesses=(other,)).exit_code == 0
            yield House(harness, machine)


def _walk(case: Case, harness: Harness, machine: Machine) -> Walk:
    file = machine.home / harness.file
    expected = texts(case, harness, command_for(machine.launcher, harness.word))
    case.placed.put(file, expected.before or b"")
    if file.is_file() and file.stat().st_uid == os.geteuid():
        os.utime(file, (LONG_AGO, LONG_AGO))  # a new file that is broken may still be being written
    chosen = (harness.name,)

    def moment() -> Moment:
        data = file.read_bytes() if file.is_file() else None
        own = {**_times(machine.state), **_times(machine.data)}
        return Moment(data, _tree(machine.home), own)

    def set_up(**options: bool) -> Step:
        return Step(wire(machine, harnesses=chosen, **options), moment())

    def uninstall(**options: bool) -> Step:
        return Step(unwire(machine, harnesses=chosen, **options), moment())

    placed, planned = moment(), set_up(dry_run=True)
    patched = None if case.code else _patched(machine.home, file, planned.result)
    wired, again = set_up(), set_up()
    unplanned, unwired = uninstall(dry_run=True), uninstall()
    if unwired.then.data != placed.data is not None:
        file.write_bytes(placed.data)
    set_up()
    restored = uninstall(restore=True)
    return Walk(
        case, machine.home, file, expected, placed, planned, patched, wired, again, unplanned,
        unwired, restored,
    )  # fmt: skip


def _patched(home: Path, file: Path, planned: Result) -> bytes | None:
    """What the real program makes of the diff, in a copy of the home."""
    diff = row(planned)["diff"]
    if diff is None:
        return file.read_bytes()
    copy = home.with_name(f"{home.name}.copy")
    shutil.copytree(home, copy, symlinks=True)
    subprocess.run(
        ["patch", "-p0", "-s", "-d", str(copy)],
        input=diff.encode("utf-8", "surrogateescape"),
        check=True,
        capture_output=True,
    )
    target = copy / file.resolve().relative_to(home.resolve())
    return target.read_bytes()


def _tree(home: Path) -> Tree:
    """With hashes for contents: the large ones are not to be kept."""
    return {name: (*facts[:-1], hash(facts[-1])) for name, facts in tree(home).items()}


def _times(folder: Path) -> Tree:
    facts = ((path, path.lstat()) for path in (folder, *folder.rglob("*")))
    return {str(path): (one.st_mode, one.st_ino, one.st_mtime_ns) for path, one in facts}
