from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaway.installer.files import inplace
from runaway.installer.files.writer import Commit
from tests.installer.files.support import names

OLD, NEW = b'{"old": "value", "kept": 1}\n', b'{"kept": 1}\n'


def note_for(state: Path, file: Path, old: bytes, new: bytes) -> Path:
    """What a run leaves that is killed in the middle of its write."""
    note = inplace._note(state, file)
    note.write_bytes(inplace._pack(file, old, new))
    return note


@given(old=st.binary(max_size=40), new=st.binary(max_size=40), data=st.data())
def test_every_interrupted_write_is_recognised(old: bytes, new: bytes, data: st.DataObject) -> None:
    done = data.draw(st.integers(0, len(new)))
    assert inplace.is_mixture(new[:done] + old[done:], old, new)
    written = new + old[len(new) :]
    back = data.draw(st.integers(0, len(old)))
    assert inplace.is_mixture(old[:back] + written[back:], old, new)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"kept": 2}\n', b'{"old": "value"}\n', NEW + b"\n\n", OLD + b"x", b"x" * 20],
)
def test_what_others_wrote_is_not_taken_for_an_interrupted_write(
    home: Path, writer: Commit, state: Path, content: bytes
) -> None:
    file = home / "settings"
    file.write_bytes(content)
    note = note_for(state, file, OLD, NEW)
    assert not inplace.is_mixture(content, OLD, NEW)
    with writer:
        pass
    assert file.read_bytes() == content
    assert not note.exists()


@pytest.mark.parametrize("done", range(1, len(NEW)))
@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (NEW, OLD)], ids=["shrinking", "growing"])
def test_an_interrupted_write_is_finished_by_the_next_run(
    home: Path, writer: Commit, state: Path, done: int, old: bytes, new: bytes
) -> None:
    file, other = home / "settings", home / "other"
    file.write_bytes(new[:done] + old[done:])
    os.link(file, other)
    note_for(state, file, old, new)
    with writer:
        pass
    assert other.read_bytes() in (old, new)
    assert file.stat().st_nlink == 2
    assert names(state / "unfinished") == []


def test_a_file_that_is_gone_is_not_made_again(home: Path, writer: Commit, state: Path) -> None:
    note = note_for(state, home / "settings", OLD, NEW)
    with writer:
        pass
    assert names(home) == []
    assert not note.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        json.dumps({"target": 7, "versions": ["", ""]}).encode(),
        json.dumps({"target": "/x", "versions": ["*", "*"]}).encode(),
        json.dumps({"target": "/x", "versions": [""]}).encode(),
        json.dumps({"target": "/x\0", "versions": ["", ""]}).encode(),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_damaged_note_is_cleared_and_changes_nothing(
    home: Path, writer: Commit, state: Path, content: bytes
) -> None:
    note = note_for(state, home / "settings", OLD, NEW)
    note.write_bytes(content)
    with writer:
        pass
    assert not note.exists()


def test_a_note_that_is_a_link_is_not_followed(
    home: Path, writer: Commit, state: Path, tmp_path: Path
) -> None:
    file = home / "settings"
    file.write_bytes(NEW[:5] + OLD[5:])
    note = note_for(state, file, OLD, NEW)
    note.rename(tmp_path / "planted")
    note.symlink_to(tmp_path / "planted")
    with writer:
        pass
    assert file.read_bytes() == NEW[:5] + OLD[5:]
