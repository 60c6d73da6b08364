"""What somebody could plant among receipts, backups and unfinished notes, and what must come of it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from runaway.installer import policy_file
from runaway.installer.commands import backups as verb
from runaway.installer.commands import config
from runaway.installer.errors import Refusal
from runaway.installer.files import backups, inplace, private, receipts
from runaway.installer.files.receipts import digest
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.files import mode, tree
from tests.support.installer import (
    PLAIN,
    THEIRS,
    bare_machine,
    code_is_there,
    codes,
    entry,
    hooks,
    in_file,
    row,
    unwire,
    user_file,
    wire,
)

MINE, EVIL = b"ssh-ed25519 AAAA me\n", b"ssh-ed25519 BBBB them\n"


@pytest.fixture
def keys(wired: Machine) -> Path:
    path = wired.home / ".ssh/authorized_keys"
    path.parent.mkdir()
    path.write_bytes(MINE)
    return path


def plant(machine: Machine, path: Path, before: bytes | None, **fields: Any) -> None:
    """A receipt of this very kind for another file, with hashes that fit and a backup of its own."""
    backup = None if before is None else backups.save(machine.state, path, before, 0o600)
    present = path.read_bytes() if path.is_file() else None
    [real] = receipts.all_receipts(machine.state).receipts
    told = real._replace(
        path=path,
        target=path,
        links=(),
        before=digest(before),
        after=digest(present),
        backup=backup,
        folders=(path.parent,),
    )
    receipts.record(machine.state, told._replace(**fields))


def told_of(result: Any) -> list[str]:
    return [one.path for one in result.messages if one.code == "strange-receipt"]


# -- receipts


@pytest.mark.parametrize("harness", HARNESSES)
@pytest.mark.parametrize("restore", [True, False])
@pytest.mark.parametrize("before", [None, b"", EVIL], ids=["delete", "empty", "replace"])
def test_a_receipt_about_a_stranger_s_file_is_told_and_moves_nothing(
    wired: Machine, keys: Path, harness: str, restore: bool, before: bytes | None
) -> None:
    plant(wired, keys, before, harness=harness, scope="project")
    result = unwire(wired, harnesses=(), restore=restore)
    assert (keys.read_bytes(), result.exit_code) == (MINE, 0)
    assert told_of(result) == ["~/.ssh/authorized_keys"]
    assert not user_file(wired).exists()


def test_no_file_is_made_where_a_receipt_says_one_was(wired: Machine, keys: Path) -> None:
    keys.unlink()
    plant(wired, keys, EVIL)
    unwire(wired, restore=True)
    assert not keys.exists()
    assert keys.parent.exists()


@pytest.mark.parametrize(
    "before",
    [None, b"{}", hooks(THEIRS), b'{"env": {"X": "evil"}}', PLAIN + b"\n"],
    ids=["delete", "empty", "other hooks", "other values", "other bytes"],
)
def test_at_a_genuine_path_the_bytes_decide(machine: Machine, before: bytes | None) -> None:
    """What is on the disk, without our entry, is what is left; not what a receipt would like."""
    file = user_file(machine, PLAIN)
    wire(machine)
    [real] = receipts.all_receipts(machine.state).receipts
    receipts.forget(machine.state, real)
    receipts.record(machine.state, real)
    plant(machine, file, before, containers=real.containers)
    assert row(unwire(machine, restore=True))["action"] == "changed-since"
    assert file.read_bytes() == PLAIN


@pytest.mark.parametrize("content", [b"", b"\n", PLAIN, hooks(THEIRS)])
@pytest.mark.parametrize("restore", [True, False])
def test_a_genuine_file_without_our_entry_stays_whatever_a_receipt_says(
    wired: Machine, tmp_path: Path, content: bytes, restore: bool
) -> None:
    file = tmp_path / "project/.claude/settings.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    before = tree(file.parent.parent)
    plant(wired, file, None, scope="project")
    unwire(wired, restore=restore)
    assert tree(file.parent.parent) == before


@pytest.mark.parametrize("restore", [True, False])
def test_a_link_planted_at_a_genuine_path_leads_nowhere(
    wired: Machine, tmp_path: Path, keys: Path, restore: bool
) -> None:
    link = tmp_path / "project/.claude/settings.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(keys)
    plant(wired, link, EVIL, scope="project", target=keys, links=(link,))
    unwire(wired, restore=restore)
    assert keys.read_bytes() == MINE
    assert link.is_symlink()


def test_a_path_with_dots_counts_by_where_a_harness_keeps_settings(
    wired: Machine, keys: Path
) -> None:
    round_about = wired.home / ".claude/settings.json/../../.ssh/authorized_keys"
    plant(wired, round_about, EVIL)
    result = unwire(wired, restore=True)
    assert keys.read_bytes() == MINE
    assert len(told_of(result)) == 1


def test_an_entry_in_a_project_goes_by_its_receipt_though_the_file_was_edited(
    wired: Machine, tmp_path: Path
) -> None:
    file = tmp_path / "project/.claude/settings.json"
    file.parent.mkdir(parents=True)
    wire(wired, scope="project", project=file.parent.parent)
    file.write_bytes(hooks(entry(wired), THEIRS))
    unwire(wired)
    assert in_file(file) == [THEIRS]


@pytest.mark.parametrize(
    "containers",
    [["x"], ["[]"], ["[1, 2, 3]"], ['[["hooks", {}], null]'], ['[["hooks"], 1]'], ["[" * 9999]],
)
def test_containers_of_wrong_types_are_passed_over(machine: Machine, containers: list[str]) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    [real] = receipts.all_receipts(machine.state).receipts
    receipts.record(machine.state, real._replace(containers=tuple(containers)))
    result = unwire(machine, restore=True)
    assert result.exit_code == 0
    assert json.loads(file.read_bytes()) in ({"model": "opus"}, PLAIN_WITH_CONTAINERS)


PLAIN_WITH_CONTAINERS = {"model": "opus", "hooks": {"PreToolUse": []}}


def test_a_mode_in_a_receipt_means_nothing(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    file.chmod(0o600)
    wire(machine)
    [place] = (machine.state / "receipts").iterdir()
    fields = {**json.loads(place.read_bytes()), "mode": 0o777, "uid": 0}
    place.write_text(json.dumps(fields))
    unwire(machine, restore=True)
    assert (file.read_bytes(), mode(file)) == (PLAIN, 0o600)


@pytest.mark.parametrize("name", ["receipts", "backups"])
@pytest.mark.parametrize("bit", [stat.S_IWGRP, stat.S_IWOTH])
def test_what_others_could_have_written_is_not_read(machine: Machine, name: str, bit: int) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    folder = machine.state / name
    folder.chmod(0o700 | bit)
    wired = file.read_bytes()
    with pytest.raises(Refusal) as caught:
        unwire(machine, restore=True)
    assert (caught.value.code, file.read_bytes()) == ("unsafe-state", wired)


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_guard_of_another_home_is_not_taken_out(
    wired: Machine, tmp_path: Path, harness: str
) -> None:
    other = bare_machine(tmp_path / "other")
    wire(other, harnesses=(harness,))
    [theirs] = receipts.all_receipts(other.state).receipts
    before = theirs.path.read_bytes()
    receipts.record(wired.state, theirs)
    for option in ({"harnesses": ()}, {"harnesses": (), "restore": True}):
        assert len(told_of(unwire(wired, **option))) == 1
        receipts.record(wired.state, theirs)
    assert theirs.path.read_bytes() == before


# -- unfinished notes


def note(machine: Machine, target: Path, old: bytes, new: bytes) -> Path:
    place = inplace._note(machine.state, target)
    private.folder(place.parent)
    place.write_bytes(inplace._pack(target, old, new))
    place.chmod(0o600)
    return place


RUNS: dict[str, Callable[[Machine], object]] = {
    "setup": wire,
    "config set": lambda machine: config.put(machine, "mode", "observe"),
    "uninstall": unwire,
    "restore": lambda machine: unwire(machine, restore=True),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_planted_note_is_written_by_no_run(
    wired: Machine, keys: Path, run: Callable[[Machine], object]
) -> None:
    note(wired, keys, MINE[:-1], MINE + EVIL)
    run(wired)
    assert keys.read_bytes() == MINE


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_nor_where_a_link_leads_from_a_genuine_path_to_its_file(
    wired: Machine, keys: Path, run: Callable[[Machine], object], link: Callable[..., None]
) -> None:
    for path in (user_file(wired), wired.config_file):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        link(keys, path)
        note(wired, path, MINE[:-1], MINE + EVIL)
    note(wired, keys, MINE[:-1], MINE + EVIL)
    with suppress(Refusal):
        run(wired)
    assert keys.read_bytes() == MINE


def test_a_torn_settings_file_is_mended_by_setup_and_by_uninstall(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    os.link(file, file.with_name("other"))
    wire(machine)
    wired = file.read_bytes()
    for run, wanted in ((wire, wired), (unwire, PLAIN)):
        file.write_bytes(wired[:-9] + PLAIN[len(wired) - 9 :])
        note(machine, file, PLAIN, wired)
        result = run(machine)
        assert (result.exit_code, file.read_bytes()) == (0, wanted)
        assert list((machine.state / "unfinished").glob("*")) == []


def test_a_torn_policy_is_mended_by_the_next_setting(machine: Machine) -> None:
    wire(machine, wishes=Wishes("observe"))
    file = machine.config_file
    old, new = b'mode = "observe"\n', b'mode = "enforce"\n# on\n'
    file.write_bytes(new[:12] + old[12:])
    note(machine, file, old, new)
    config.put(machine, "spend.session_cap", "5")
    assert policy_file.parse(file.read_bytes()) == {"mode": "enforce", "spend": {"session_cap": 5}}


# -- backups


def test_a_backup_of_a_stranger_s_file_is_not_put_back(wired: Machine, keys: Path) -> None:
    planted = backups.save(wired.state, keys, EVIL, 0o600)
    for gone in (False, True):
        if gone:
            keys.unlink()
        with pytest.raises(Refusal) as caught:
            verb.restore(wired, planted)
        assert caught.value.code == "not-settings"
        assert keys.exists() is not gone


def test_a_backup_that_names_another_file_than_its_own_is_put_nowhere(
    wired: Machine, keys: Path
) -> None:
    planted = backups.save(wired.state, keys, PLAIN, 0o600)
    origin = wired.state / "backups" / planted / "origin.json"
    told = json.loads(origin.read_bytes())
    origin.write_text(json.dumps({**told, "path": str(user_file(wired))}))
    with pytest.raises(Refusal) as caught:
        verb.restore(wired, planted)
    assert caught.value.code == "no-origin"


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_no_backup_goes_through_a_link_to_what_is_no_settings(
    wired: Machine, keys: Path, link: Callable[..., None]
) -> None:
    file = user_file(wired)
    planted = backups.save(wired.state, file, PLAIN, 0o600)
    file.unlink()
    link(keys, file)
    with pytest.raises(Refusal):
        verb.restore(wired, planted)
    assert keys.read_bytes() == MINE


@pytest.mark.parametrize("content", [EVIL, b"{", b"\xff"])
def test_what_the_harness_cannot_read_is_not_put_back(wired: Machine, content: bytes) -> None:
    file = user_file(wired)
    before = file.read_bytes()
    planted = backups.save(wired.state, file, content, 0o600)
    with pytest.raises(Refusal):
        verb.restore(wired, planted)
    assert file.read_bytes() == before


def test_a_broken_settings_file_gets_its_backup_back(wired: Machine) -> None:
    file = user_file(wired)
    file.write_bytes(b"{ broken")
    assert verb.restore(wired, backups.save(wired.state, file, PLAIN, 0o600)).status == "written"
    assert file.read_bytes() == PLAIN


def test_our_plugin_comes_from_setup_and_from_no_backup(wired: Machine) -> None:
    """It is code that OpenCode runs."""
    file = HARNESSES["opencode"].path(wired, "user", wired.cwd)
    planted = backups.save(wired.state, file, b"evil()", 0o600)
    with pytest.raises(Refusal) as caught:
        verb.restore(wired, planted)
    assert (caught.value.code, file.exists()) == ("foreign-plugin", False)


def test_the_policy_can_be_put_back(wired: Machine) -> None:
    file = wired.config_file
    config.put(wired, "mode", "observe")
    before = file.read_bytes()
    config.put(wired, "mode", "enforce")
    verb.restore(wired, backups.save(wired.state, file, before, 0o600))
    assert file.read_bytes() == before


# -- backups that stay


def test_the_backup_of_a_file_that_has_newer_edits_stays_after_every_uninstall(
    machine: Machine,
) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    file.write_bytes(file.read_bytes().replace(b"opus", b"sonnet"))
    for restore in (False, False, True):
        result = unwire(machine, restore=restore)
        assert not code_is_there(machine)
        kept = [one.content.read_bytes() for one in backups.list_backups(machine.state)]
        assert PLAIN in kept
    assert codes(result) == []


def test_no_backup_stays_of_a_file_that_is_what_it_was(machine: Machine) -> None:
    user_file(machine, PLAIN)
    wire(machine)
    unwire(machine, purge=True)
    assert not machine.state.exists()


def test_a_damaged_backup_stays_for_a_person_to_look_at(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    [one] = backups.list_backups(machine.state)
    one.content.write_bytes(b"damaged")
    unwire(machine, purge=True)
    assert file.read_bytes() == PLAIN
    assert one.content.exists()
