from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.commands import backups, setup, uninstall
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine, scratch_machine

BEFORE = b'{\r\n\t"env": {"TOKEN": "sk-0123456789abcdef0123"},\r\n\t"model": "opus"\r\n}'
YEAR = 365 * 86400.0


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home whose settings file was there before setup changed it."""
    machine = scratch_machine(tmp_path)
    settings(machine).parent.mkdir()
    settings(machine).write_bytes(BEFORE)
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    return machine


def settings(machine: Machine) -> Path:
    return machine.home / ".claude/settings.json"


def only_id(machine: Machine) -> str:
    (one,) = backups.listing(machine).data["backups"]
    return str(one["id"])


def test_the_version_from_before_setup_is_listed(machine: Machine) -> None:
    result = backups.listing(machine)
    (one,) = result.data["backups"]
    assert (one["path"], one["size"]) == (str(settings(machine)), len(BEFORE))
    assert "~/.claude/settings.json" in result.lines[0]


def test_without_backups_the_list_says_so(tmp_path: Path) -> None:
    assert backups.listing(scratch_machine(tmp_path)).lines == ("There are no backups.",)


def test_showing_one_masks_its_secrets(machine: Machine) -> None:
    result = backups.show(machine, only_id(machine)[:8])
    assert '"model": "opus"' in result.data["text"]
    assert "sk-0123" not in json.dumps(result.data) + "".join(result.lines)


def test_restoring_gives_the_exact_bytes_and_keeps_what_was_there(machine: Machine) -> None:
    wired = settings(machine).read_bytes()
    wanted = only_id(machine)
    result = backups.restore(machine, wanted)
    assert settings(machine).read_bytes() == BEFORE
    assert result.data["backup"] != wanted
    backups.restore(machine, result.data["backup"])
    assert settings(machine).read_bytes() == wired


def test_pruning_keeps_what_restore_needs_and_what_is_newer(machine: Machine) -> None:
    wanted = only_id(machine)
    settings(machine).write_bytes(b'{"model": "haiku"}')
    backups.restore(machine, wanted)
    assert len(backups.listing(machine).data["backups"]) == 2
    assert backups.prune(machine, YEAR).data["removed"] == []
    assert backups.prune(machine, -60.0).data["removed"] != []
    assert only_id(machine) == wanted
    uninstall.run(machine, uninstall.Options(("claude",), restore=True))


@pytest.mark.parametrize("wanted", ["", "zzz", "../../etc/passwd"])
def test_an_id_that_names_no_backup_is_refused(machine: Machine, wanted: str) -> None:
    for verb in (backups.show, backups.restore):
        with pytest.raises(Refusal) as refused:
            verb(machine, wanted)
        assert refused.value.code == "no-backup"


def test_a_damaged_backup_is_not_put_back(machine: Machine) -> None:
    wanted = only_id(machine)
    content = machine.state / "backups" / wanted / "content"
    content.write_bytes(b"{}")
    before = settings(machine).read_bytes()
    with pytest.raises(Refusal) as refused:
        backups.restore(machine, wanted)
    assert refused.value.code == "damaged-backup"
    assert settings(machine).read_bytes() == before
