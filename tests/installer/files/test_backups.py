from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.backups import list_backups, load, prune, save
from tests.support.files import mode, names, tree

SETTINGS = Path("/home/u/.claude/settings.json")


def test_a_backup_gives_back_every_byte_and_tells_whence(state: Path) -> None:
    data = bytes(range(256)) * 100
    backup = save(state, SETTINGS, data, 0o600)
    assert load(state, backup) == data
    (listed,) = list_backups(state)
    assert (listed.id, listed.path, listed.size) == (backup, SETTINGS, len(data))
    assert listed.content.read_bytes() == data
    assert listed.time is not None
    assert abs(datetime.now(UTC) - listed.time) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("source", "kept"), [(0o644, 0o600), (0o600, 0o600), (0o400, 0o400), (0o777, 0o600)]
)
def test_a_backup_is_never_wider_than_its_source(state: Path, source: int, kept: int) -> None:
    old = os.umask(0)
    try:
        save(state, SETTINGS, b"secret", source)
    finally:
        os.umask(old)
    (listed,) = list_backups(state)
    assert mode(listed.content) == kept
    assert mode(listed.content.parent) == mode(state / "backups") == mode(state) == 0o700


def test_the_same_bytes_are_kept_once_and_never_written_again(state: Path) -> None:
    backup = save(state, SETTINGS, b"{}", 0o600)
    before = tree(state)
    assert save(state, SETTINGS, b"{}", 0o600) == backup
    assert tree(state) == before


def test_two_files_with_the_same_bytes_have_a_backup_each(state: Path) -> None:
    other = Path("/home/u/.cursor/hooks.json")
    ids = {save(state, SETTINGS, b"{}", 0o600), save(state, other, b"{}", 0o600)}
    assert {listed.id for listed in list_backups(state)} == ids
    assert {listed.path for listed in list_backups(state)} == {SETTINGS, other}


@pytest.mark.parametrize(
    "id",
    ["", "nope", "../../etc/passwd", "0" * 32 + "-" + "0" * 8, "0" * 32, "A" * 32 + "-" + "0" * 8],
)
def test_an_unknown_id_is_refused(state: Path, id: str) -> None:
    with pytest.raises(Refusal) as caught:
        load(state, id)
    assert caught.value.code == "no-backup"


def test_damaged_bytes_are_never_given_back_and_never_overwritten(state: Path) -> None:
    backup = save(state, SETTINGS, b"{}", 0o600)
    content = state / "backups" / backup / "content"
    content.write_bytes(b"[]")
    for attempt in (lambda: load(state, backup), lambda: save(state, SETTINGS, b"{}", 0o600)):
        with pytest.raises(Refusal) as caught:
            attempt()
        assert caught.value.code == "damaged-backup"
    assert content.read_bytes() == b"[]"


ORIGINS = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 60_000,
    b'{"path": 1, "time": 2}',
    b'{"path": "/x", "time": "yesterday"}',
    b'{"path": "/x", "time": "99999-01-01"}',
    b" " * 100_000,
]


@pytest.mark.parametrize("origin", ORIGINS, ids=lambda origin: repr(origin[:30]))
def test_a_damaged_origin_costs_only_path_and_time(state: Path, origin: bytes) -> None:
    backup = save(state, SETTINGS, b"{}", 0o600)
    (state / "backups" / backup / "origin.json").write_bytes(origin)
    (listed,) = list_backups(state)
    assert (listed.id, listed.path, listed.time, listed.size) == (backup, None, None, 2)
    assert load(state, backup) == b"{}"


def test_a_missing_origin_costs_only_path_and_time(state: Path) -> None:
    backup = save(state, SETTINGS, b"{}", 0o600)
    (state / "backups" / backup / "origin.json").unlink()
    assert [listed.path for listed in list_backups(state)] == [None]


def test_what_is_no_backup_is_left_alone(state: Path) -> None:
    save(state, SETTINGS, b"{}", 0o600)
    folder = state / "backups"
    (folder / "notes.txt").write_text("the user's")
    (folder / ("0" * 32 + "-" + "0" * 8)).write_text("a file, not a folder")
    (folder / ("1" * 32 + "-" + "0" * 8)).mkdir()
    (folder / ("2" * 32 + "-" + "0" * 8)).symlink_to("/")
    assert len(list_backups(state)) == 1
    prune(state)
    assert len(names(folder)) == 4


def test_no_state_folder_means_no_backups_and_makes_none(state: Path) -> None:
    assert list_backups(state) == ()
    assert prune(state) == ()
    assert not state.exists()


def test_pruning_keeps_what_is_young_or_needed(state: Path) -> None:
    old, needed, young = (save(state, SETTINGS, data, 0o600) for data in (b"1", b"2", b"3"))
    long_ago = datetime.now(UTC) - timedelta(days=100)
    for backup in (old, needed):
        origin = state / "backups" / backup / "origin.json"
        facts = json.loads(origin.read_bytes()) | {"time": long_ago.isoformat()}
        origin.write_text(json.dumps(facts))
    gone = prune(state, before=datetime.now(UTC) - timedelta(days=30), keep={needed})
    assert [backup.id for backup in gone] == [old]
    assert {backup.id for backup in list_backups(state)} == {needed, young}
    assert {backup.id for backup in prune(state)} == {needed, young}
    assert names(state / "backups") == []


def a_linked_backups_folder(state: Path, elsewhere: Path, backup: str) -> None:
    (elsewhere / backup).mkdir()
    (elsewhere / backup / "content").write_bytes(b"{}")
    state.mkdir(mode=0o700)
    (state / "backups").symlink_to(elsewhere)


def a_linked_backup(state: Path, elsewhere: Path, backup: str) -> None:
    (state / "backups").mkdir(parents=True)
    (state / "backups" / backup).symlink_to(elsewhere)


def a_linked_content(state: Path, elsewhere: Path, backup: str) -> None:
    (state / "backups" / backup).mkdir(parents=True)
    (state / "backups" / backup / "content").symlink_to(elsewhere / "content")


@pytest.mark.parametrize("plant", [a_linked_backups_folder, a_linked_backup, a_linked_content])
def test_planted_links_lead_neither_reading_nor_writing_elsewhere(
    state: Path, tmp_path: Path, plant: Callable[[Path, Path, str], None]
) -> None:
    data = b"{}"
    where = hashlib.sha256(os.fsencode(SETTINGS)).hexdigest()[:8]
    backup = f"{hashlib.sha256(data).hexdigest()[:32]}-{where}"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "content").write_bytes(data)
    plant(state, elsewhere, backup)
    before = tree(elsewhere)
    with pytest.raises(Refusal):
        save(state, SETTINGS, data, 0o600)
    with pytest.raises(Refusal):
        load(state, backup)
    if (state / "backups").is_symlink():
        with pytest.raises(Refusal):
            list_backups(state)
    assert tree(elsewhere) == before
