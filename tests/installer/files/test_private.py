from __future__ import annotations

import os
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files import private
from runaway.installer.files.backups import list_backups, save
from runaway.installer.files.writer import Commit
from tests.support.files import as_root, mode, names


def test_a_run_clears_what_killed_runs_left_in_our_folders_only(
    state: Path, writer: Commit
) -> None:
    save(state, Path("/x"), b"kept", 0o600)
    (state / "backups" / ".half.tmp").mkdir()
    (state / "backups" / ".half.tmp" / "content").write_bytes(b"half")
    private.folder(state / "receipts")
    (state / "receipts" / ".half.tmp").write_bytes(b"half")
    (state / "sessions").mkdir()
    (state / "sessions" / ".in-use.tmp").write_bytes(b"somebody else's")
    with writer:
        pass
    assert names(state / "receipts") == []
    assert names(state / "sessions") == [".in-use.tmp"]
    assert len(names(state / "backups")) == len(list_backups(state)) == 1


def test_a_planted_leftover_does_not_lead_the_clearing_elsewhere(
    state: Path, writer: Commit, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    (private.folder(state / "backups") / ".half.tmp").symlink_to(elsewhere)
    with writer:
        pass
    assert names(elsewhere) == ["precious"]
    assert names(state / "backups") == []


def test_the_state_folder_itself_may_be_a_link_of_the_users(state: Path, tmp_path: Path) -> None:
    (tmp_path / "big disk").mkdir(mode=0o700)
    state.symlink_to("big disk")
    backup = save(state, Path("/x"), b"kept", 0o600)
    assert (tmp_path / "big disk" / "backups" / backup / "content").read_bytes() == b"kept"


@as_root
def test_a_folder_of_somebody_else_is_refused(state: Path) -> None:
    private.folder(state / "backups")
    os.chown(state / "backups", 4242, 4242)
    with pytest.raises(Refusal) as caught:
        save(state, Path("/x"), b"secret", 0o600)
    assert caught.value.code == "foreign-folder"


def test_replacing_is_whole_and_private(state: Path) -> None:
    file = private.state_folder(state) / "file"
    file.write_bytes(b"old")
    file.chmod(0o644)
    private.replace(file, b"new")
    assert (file.read_bytes(), mode(file), names(state)) == (b"new", 0o600, ["file"])


def test_creating_never_overwrites(state: Path) -> None:
    file = private.state_folder(state) / "file"
    private.create(file, b"first")
    with pytest.raises(FileExistsError):
        private.create(file, b"second")
    assert file.read_bytes() == b"first"
