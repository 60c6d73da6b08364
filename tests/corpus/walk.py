"""Each case is lived through once: dry run, setup twice, uninstall, setup again, uninstall --restore.

The commands run on real files in a scratch home. The guard's code is in place from the start and
stays, for another agent is wired all the time; which Python runs it is found out only once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from runaway.installer.commands import setup
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from runaway.installer.result import Result
from tests.corpus.case import Case, Harness, Texts, texts
from tests.support.files import tree
from tests.support.installer import NASTY, bare_machine, row, unwire, wire

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


@contextmanager
def houses() -> Iterator[Callable[[Harness, Case], Walk]]:
    """Walks through cases: a machine for each settings file of a harness, a home for each case."""
    with ExitStack() as stack:

        @cache
        def machine_for(name: str) -> Machine:
            return stack.enter_context(_house(keeper="cursor" if name == "claude" else "claude"))

        yield lambda harness, case: _in_new_home(case, harness, machine_for(harness.name))


@contextmanager
def _house(keeper: str) -> Iterator[Machine]:
    """The harness `keeper` is wired there, and its entry needs the guard's code."""
    with tempfile.TemporaryDirectory(
        dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    ) as at:
        machine = bare_machine(Path(at) / NASTY)
        machine.home.with_name("homes").mkdir()
        interpreter = choose(machine)
        with mock.patch.object(setup, "choose", return_value=interpreter):
            assert wire(machine, harnesses=(keeper,)).exit_code == 0
            yield machine


def _in_new_home(case: Case, harness: Harness, machine: Machine) -> Walk:
    homes = machine.home.with_name("homes")
    home = homes / str(len(list(homes.iterdir())))
    home.mkdir()
    try:
        return _walk(case, harness, machine._replace(home=home, cwd=home))
    finally:
        shutil.rmtree(machine.state / "backups", ignore_errors=True)


def _walk(case: Case, harness: Harness, machine: Machine) -> Walk:
    file = machine.home / harness.file
    expected = texts(case, harness, command_for(machine.launcher, harness.word))
    case.placed.put(file, expected.before or b"")
    if file.is_file() and file.stat().st_uid == os.geteuid():
        os.utime(file, (LONG_AGO, LONG_AGO))  # a new file that is broken may still be being written
    chosen = (harness.name,)

    def moment() -> Moment:
        data = file.read_bytes() if file.is_file() else None
        own = {**_times(machine.state.rglob("*")), **_times(machine.data.iterdir())}
        return Moment(data, _tree(machine.home), own)

    def set_up(**options: bool) -> Step:
        return Step(wire(machine, harnesses=chosen, **options), moment())

    def uninstall(**options: bool) -> Step:
        return Step(unwire(machine, harnesses=chosen, **options), moment())

    placed, planned = moment(), set_up(dry_run=True)
    patched = None if case.code else _patched(machine.home, file, planned.result)
    wired = set_up()
    again = wired if case.code else set_up()
    unplanned, unwired = uninstall(dry_run=True), uninstall()
    restored = unwired if case.code else _set_up_and_restored(file, placed.data, set_up, uninstall)
    return Walk(
        case, machine.home, file, expected, placed, planned, patched, wired, again, unplanned,
        unwired, restored,
    )  # fmt: skip


def _set_up_and_restored(
    file: Path, data: bytes | None, set_up: Callable[..., Step], uninstall: Callable[..., Step]
) -> Step:
    if data is not None:
        file.write_bytes(data)  # where entries of ours were in it, uninstall took those too
    set_up()
    return uninstall(restore=True)


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


def _times(paths: Iterable[Path]) -> Tree:
    facts = ((path, path.lstat()) for path in paths)
    return {str(path): (one.st_mode, one.st_ino, one.st_mtime_ns) for path, one in facts}
