"""Every system call of a change fails once, or from then on, with every errno that disks answer."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files import renameat2, replacing
from runaway.installer.files.backups import list_backups
from runaway.installer.files.faults import os_errors_as_refusals
from runaway.installer.files.writer import Commit
from tests.installer.files.test_crash import CASES, Case, prepare, unfinished
from tests.support.files import OURS, temporaries

CALLS = [
    (os, "open"),
    (os, "read"),
    (os, "pwrite"),
    (os, "fsync"),
    (os, "ftruncate"),
    (os, "fchmod"),
    (os, "lstat"),
    (os, "stat"),
    (os, "fstat"),
    (os, "link"),
    (os, "unlink"),
    (os, "rename"),
    (os, "replace"),
    (os, "mkdir"),
    (os, "listdir"),
    (renameat2, "_renameat2"),
]
NUMBERS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EXDEV, errno.EACCES]


class Fault(NamedTuple):
    name: str
    nth: int
    number: int
    lasting: bool


@contextmanager
def counting(fault: Fault | None = None) -> Iterator[Counter[str]]:
    """Counts the calls made inside the block, and lets the faulty ones fail before they act."""
    counts: Counter[str] = Counter()

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            counts[name] += 1
            if fault is not None and name == fault.name:
                past = counts[name] - fault.nth
                if past == 0 or (past > 0 and fault.lasting):
                    raise OSError(fault.number, os.strerror(fault.number))
            return call(*arguments, **options)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        for module, name in CALLS:
            patch.setattr(module, name, wrapped(name, getattr(module, name)))
        yield counts


def outcome(place: Path, case: Case, fault: Fault) -> str:
    file = prepare(place, case)
    refused = None
    try:
        with counting(fault):
            Commit(place / "state").apply(file, case.transform)
    except Refusal as refusal:
        refused = refusal
    if refused is None:
        return "done"
    assert refused.text.endswith(".")
    assert "\n" not in refused.text
    assert refused.path is not None
    return "refused"


def faults(place: Path, case: Case, *, lasting: bool) -> Iterator[Fault]:
    """One fault per call that the change makes in good health, the errnos taking turns."""
    with counting() as counts:
        Commit(place / "state").apply(prepare(place, case), case.transform)
    assert sum(counts.values()) > 30
    calls = [(name, nth + 1) for name, count in counts.items() for nth in range(count)]
    for (name, nth), number in zip(calls, cycle(NUMBERS), strict=False):
        yield Fault(name, nth, number, lasting)


LASTING = pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
EACH_CASE = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@LASTING
@EACH_CASE
def test_a_fault_leaves_the_old_file_or_the_new_and_one_sentence(
    memory: Path, case: Case, lasting: bool
) -> None:
    results = Counter(
        result_of(memory / str(number), case, fault)
        for number, fault in enumerate(faults(memory / "healthy", case, lasting=lasting))
    )
    assert results["refused"] > results["done"]


@pytest.mark.long
@LASTING
@EACH_CASE
def test_every_errno_at_every_step(tmp_path: Path, case: Case, lasting: bool) -> None:
    for step, fault in enumerate(faults(tmp_path / "healthy", case, lasting=lasting)):
        for number in NUMBERS:
            result_of(tmp_path / f"{step}-{number}", case, fault._replace(number=number))


def result_of(place: Path, case: Case, fault: Fault) -> str:
    result = outcome(place, case, fault)
    check(place, case, fault, result)
    return result


def check(place: Path, case: Case, fault: Fault, result: str) -> None:
    file = place / "home" / "settings"
    left = file.read_bytes() if file.exists() else None
    assert left in (case.old, case.new), fault
    if result == "done":
        assert left == case.new, fault
    elif fault.name in ("pwrite", "fsync", "fchmod", "mkdir", "replace") and not fault.lasting:
        assert temporaries(place) == [], fault
    Commit(place / "state").apply(file, case.transform)
    assert (file.read_bytes() if file.exists() else None) == case.new, fault
    assert temporaries(place) == [], fault
    assert unfinished(place) == [], fault


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "no-space"),
        (errno.EDQUOT, "no-space"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "read-only"),
        (errno.EPERM, "read-only"),
        (errno.EIO, "io-error"),
        (errno.EXDEV, "cross-device"),
        (errno.ENAMETOOLONG, "name-too-long"),
        (errno.EMFILE, "io-error"),
    ],
)
def test_an_errno_becomes_a_sentence_with_the_path(number: int, code: str) -> None:
    with pytest.raises(Refusal) as caught, os_errors_as_refusals(Path("/home/u/settings.json")):
        raise OSError(number, os.strerror(number))
    assert caught.value.code == code
    assert caught.value.text.startswith("Cannot write /home/u/settings.json: ")
    assert caught.value.fix


@LASTING
def test_no_fault_loses_what_another_program_wrote_in_the_last_moment(
    memory: Path, monkeypatch: pytest.MonkeyPatch, lasting: bool
) -> None:
    exchange, rename = renameat2.exchange, os.rename  # whole: the faults are ours alone
    changed = set()

    def too_late(first: Path, second: Path) -> bool:
        if second not in changed:
            changed.add(second)
            newer = second.with_name("newer")
            newer.write_bytes(b"newer\n")
            rename(newer, second)
        return exchange(first, second)

    case = CASES[0]
    monkeypatch.setattr(replacing, "exchange", too_late)
    for number, fault in enumerate(faults(memory / "healthy", case, lasting=lasting)):
        place = memory / str(number)
        outcome(place, case, fault)
        file = place / "home" / "settings"
        Commit(place / "state").apply(file, case.transform)
        kept = [backup.content.read_bytes() for backup in list_backups(place / "state")]
        assert b"newer\n" in (file.read_bytes().replace(OURS, b""), *kept), fault
        assert temporaries(place) == [], fault


def test_a_path_that_is_too_long_is_refused(home: Path, writer: Commit) -> None:
    with pytest.raises(Refusal) as caught:
        writer.apply(home / ("x" * 300), lambda present: OURS)
    assert caught.value.code == "name-too-long"
