"""The writer is killed at every system call it makes; the next run heals what it finds."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from runaway.installer.files import inplace
from runaway.installer.files.backups import list_backups
from runaway.installer.files.writer import Commit, Transform
from tests.support.files import OURS, add, delete, names, remove, temporaries

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="stops the writer with ptrace(2)")

if sys.platform == "linux":
    from tests.installer.files.tracing import killed_at


class Case(NamedTuple):
    name: str
    old: bytes | None
    transform: Transform
    new: bytes | None
    hard_linked: bool = False


THEIRS = b"theirs\n" * 5
CASES = [
    Case("replacing", THEIRS, add, THEIRS + OURS),
    Case("creating with a folder", None, add, OURS),
    Case("removing", THEIRS + OURS, delete, None),
    Case("growing in place", THEIRS, add, THEIRS + OURS, hard_linked=True),
    Case("shrinking in place", OURS + THEIRS, remove, THEIRS, hard_linked=True),
]


@pytest.mark.parametrize(
    "case",
    [
        # Growing differs from shrinking by the order of two writes, and killing takes seconds.
        pytest.param(case, id=case.name, marks=[pytest.mark.long] if "growing" in case.name else [])
        for case in CASES
    ],
)
def test_a_killed_writer_leaves_the_old_file_or_the_new_and_a_rerun_heals(
    memory: Path, case: Case
) -> None:
    number = 0
    killed = True
    while killed:
        number += 1
        place = memory / str(number)
        file = prepare(place, case)
        change = partial(Commit(place / "state").apply, file, case.transform)
        killed = killed_at(number, change)
        left = file.read_bytes() if file.exists() else None
        if case.hard_linked:
            assert inplace.is_mixture(left or b"", case.old or b"", case.new or b"")
        else:
            assert left in (case.old, case.new)
        change()
        assert (file.read_bytes() if file.exists() else None) == case.new
        assert temporaries(place) == []
        assert unfinished(place) == []
        assert all(
            kept.content.read_bytes() in (case.old, case.new)
            for kept in list_backups(place / "state")
        )
        shutil.rmtree(place)
    assert number > 30


def prepare(place: Path, case: Case) -> Path:
    file = place / "home" / "settings"
    if case.old is None:
        place.mkdir()
    else:
        file.parent.mkdir(parents=True)
        file.write_bytes(case.old)
    if case.hard_linked:
        os.link(file, file.with_name("other"))
    return file


def unfinished(place: Path) -> list[str]:
    folder = place / "state" / "unfinished"
    return names(folder) if folder.exists() else []
