from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaway.installer.files import inplace, private
from runaway.installer.files.writer import Commit
from tests.support.files import OURS, add, names, remove

OLD, NEW = b'{"old": "value", "kept": 1}\n', b'{"kept": 1}\n'


def nothing(_: bytes | None) -> None:
    """Makes the same of any two versions."""


def note_for(state: Path, file: Path, old: bytes, new: bytes) -> Path:
    """What a run leaves that is killed in the middle of its write."""
    private.folder(state / "unfinished")
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
    writer.heal(file, nothing)
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
    writer.heal(file, nothing)
    assert other.read_bytes() in (old, new)
    assert file.stat().st_nlink == 2
    assert names(state / "unfinished") == []


def test_a_file_that_is_gone_is_not_made_again(home: Path, writer: Commit, state: Path) -> None:
    note = note_for(state, home / "settings", OLD, NEW)
    writer.heal(home / "settings", nothing)
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
    writer.heal(home / "settings", nothing)
    assert not note.exists()


def test_a_note_that_is_a_link_is_not_followed(
    home: Path, writer: Commit, state: Path, tmp_path: Path
) -> None:
    file = home / "settings"
    file.write_bytes(NEW[:5] + OLD[5:])
    note = note_for(state, file, OLD, NEW)
    note.rename(tmp_path / "planted")
    note.symlink_to(tmp_path / "planted")
    writer.heal(file, nothing)
    assert file.read_bytes() == NEW[:5] + OLD[5:]


def test_a_note_about_another_file_is_not_acted_on(
    home: Path, writer: Commit, state: Path, tmp_path: Path
) -> None:
    """Any run would otherwise write what somebody planted, wherever he wants it."""
    victim = home / "authorized_keys"
    victim.write_bytes(b"mine\n")
    note_for(state, victim, b"mine", b"mine\nand theirs\n")
    file = tmp_path / "settings"
    file.write_bytes(OLD)
    writer.apply(file, lambda _: NEW)
    renamed = note_for(state, victim, b"mine", b"mine\nand theirs\n")
    renamed.rename(inplace._note(state, file))
    writer.heal(file, nothing)
    assert (victim.read_bytes(), file.read_bytes()) == (b"mine\n", NEW)


def test_versions_that_differ_in_more_than_the_edit_are_not_written(
    home: Path, writer: Commit, state: Path
) -> None:
    victim = home / "authorized_keys"
    victim.write_bytes(b"mine\n")
    note = note_for(state, victim, b"mine", b"mine\nand theirs\n")
    writer.heal(victim, lambda data: data)
    assert victim.read_bytes() == b"mine\n"
    assert note.exists()
    writer.apply(victim, add)
    assert victim.read_bytes() == b"mine\n" + OURS


def test_an_edit_finishes_what_the_same_edit_had_begun(
    home: Path, writer: Commit, state: Path
) -> None:
    file = home / "settings"
    for old, new, done in [(b"a\nb\n", b"a\nb\n" + OURS, 6), (OURS + b"a\nb\n", b"a\nb\n", 2)]:
        file.write_bytes(new[:done] + old[done:])
        note_for(state, file, old, new)
        writer.apply(file, remove)
        assert file.read_bytes() == b"a\nb\n"
