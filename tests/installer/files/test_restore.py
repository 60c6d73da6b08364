from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files import backups
from runaway.installer.files.receipts import Receipt, digest
from runaway.installer.files.restore import restoring
from runaway.installer.files.writer import Commit, Written
from tests.support.files import OURS, add, mode, refusal


def receipt_for(written: Written) -> Receipt:
    return Receipt(
        written.path,
        written.target,
        written.links,
        digest(written.before),
        digest(written.after),
        written.backup,
        (),
        written.created_folders,
        "claude",
        "user",
        "2026-11-30T12:00:00+00:00",
        "1.0.0",
    )


def adds_ours(before: bytes | None, present: bytes | None) -> bool:
    return add(before) == present


THEIRS = b"\xef\xbb\xbf{ // theirs\r\n}"


def test_an_unchanged_file_gets_its_exact_bytes_and_mode_back(
    home: Path, writer: Commit, state: Path
) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    file.chmod(0o640)
    receipt = receipt_for(writer.apply(file, add))
    writer.apply(file, restoring(state, receipt, adds_ours))
    assert (file.read_bytes(), mode(file)) == (THEIRS, 0o640)
    assert writer.apply(file, restoring(state, receipt, adds_ours)).action == "unchanged"


def test_a_file_that_setup_made_goes_with_its_folders(
    home: Path, writer: Commit, state: Path
) -> None:
    receipt = receipt_for(writer.apply(home / "a" / "b" / "settings", add))
    writer.apply(receipt.path, restoring(state, receipt, adds_ours), folders=receipt.folders)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"newer", THEIRS + OURS + b"\n", OURS])
def test_a_file_changed_since_is_left_alone_and_the_backup_named(
    home: Path, writer: Commit, state: Path, content: bytes
) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    written = writer.apply(file, add)
    file.write_bytes(content)
    refused = refusal(writer, file, restoring(state, receipt_for(written), adds_ours))
    assert refused.code == "changed-since"
    assert file.read_bytes() == content
    (kept,) = backups.list_backups(state)
    assert str(kept.content) in refused.text
    assert kept.content.read_bytes() == THEIRS


def test_a_file_removed_since_is_not_made_again(home: Path, writer: Commit, state: Path) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    receipt = receipt_for(writer.apply(file, add))
    file.unlink()
    assert refusal(writer, file, restoring(state, receipt, adds_ours)).code == "changed-since"
    assert not file.exists()


def test_a_change_in_the_last_moment_is_seen(home: Path, writer: Commit, state: Path) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    restored = restoring(state, receipt_for(writer.apply(file, add)), adds_ours)

    def slow(present: bytes | None) -> bytes | None:
        wanted = restored(present)
        file.write_bytes(b"newer")
        return wanted

    assert refusal(writer, file, slow).code == "changed-since"
    assert file.read_bytes() == b"newer"


def test_a_file_that_became_a_link_since_is_left_alone(
    home: Path, writer: Commit, state: Path
) -> None:
    """Removing what setup made would leave the user's new link dangling."""
    file = home / "settings"
    receipt = receipt_for(writer.apply(file, add))
    file.rename(home / "dots")
    file.symlink_to("dots")
    with pytest.raises(Refusal) as caught:
        restoring(state, receipt, adds_ours)
    assert caught.value.code == "changed-since"


def test_a_receipt_whose_earlier_bytes_are_not_known_is_refused(
    home: Path, writer: Commit, state: Path
) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    receipt = receipt_for(writer.apply(file, add))
    with pytest.raises(Refusal) as caught:
        restoring(state, receipt._replace(backup=None), adds_ours)
    assert caught.value.code == "changed-since"


@pytest.mark.parametrize("backup", ["nope", "0" * 32 + "-" + "0" * 8])
def test_a_backup_that_is_gone_is_refused(
    home: Path, writer: Commit, state: Path, backup: str
) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    receipt = receipt_for(writer.apply(file, add))
    with pytest.raises(Refusal) as caught:
        restoring(state, receipt._replace(backup=backup), adds_ours)
    assert caught.value.code == "no-backup"


def test_a_receipt_that_names_another_files_backup_is_not_believed(
    home: Path, writer: Commit, state: Path
) -> None:
    file = home / "settings"
    file.write_bytes(THEIRS)
    receipt = receipt_for(writer.apply(file, add))
    other = backups.save(state, home / "other", b"evil", 0o600)
    with pytest.raises(Refusal) as caught:
        restoring(state, receipt._replace(backup=other), adds_ours)
    assert caught.value.code == "changed-since"


def test_what_the_bytes_do_not_bear_out_is_not_believed(
    home: Path, writer: Commit, state: Path
) -> None:
    """A receipt whose hashes fit, with a backup of its own, as anybody could plant it."""
    file = home / "authorized_keys"
    file.write_bytes(b"mine\n")
    planted = backups.save(state, file, b"theirs\n", 0o600)
    told = Written(file, file, (), b"theirs\n", b"mine\n", planted, (), "written")
    for receipt in (receipt_for(told), receipt_for(told._replace(before=None, backup=None))):
        refused = refusal(writer, file, restoring(state, receipt, adds_ours))
        assert (refused.code, file.read_bytes()) == ("changed-since", b"mine\n")


def test_a_file_that_setup_made_is_not_removed_through_a_link(
    home: Path, writer: Commit, state: Path
) -> None:
    (home / "dots").write_bytes(OURS)
    link = home / "settings"
    link.symlink_to("dots")
    receipt = receipt_for(writer.apply(link, lambda data: data))._replace(before=None)
    with pytest.raises(Refusal) as caught:
        restoring(state, receipt._replace(links=(link,)), lambda *_: True)
    assert caught.value.code == "changed-since"
