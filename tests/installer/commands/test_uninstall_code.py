from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer.commands import uninstall
from runaway.installer.errors import Refusal
from runaway.installer.files import backups, receipts
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.files import names, tree
from tests.support.installer import (
    PLAIN,
    call,
    code_is_there,
    codes,
    entry,
    hooks,
    payload,
    present_shells,
    registered,
    row,
    unwire,
    user_file,
    wire,
)

# -- code and data


def test_code_and_data_go_and_a_launcher_that_says_nothing_stays(machine: Machine) -> None:
    user_file(machine, PLAIN)
    wire(machine, wishes=Wishes("observe", 5.0))
    call(registered(machine), payload())
    result = unwire(machine, purge=True)
    assert names(machine.data) == ["launch"]
    assert not machine.state.exists()
    assert not machine.config.exists()
    assert "kept as a harmless stub" in result.lines[-1]
    answers = {shell: call(registered(machine), payload(), shell) for shell in present_shells()}
    assert answers == dict.fromkeys(answers, (0, b""))


def test_what_is_the_persons_stays_and_is_named(machine: Machine) -> None:
    user_file(machine, PLAIN)
    wire(machine, wishes=Wishes("observe", 5.0))
    call(registered(machine), payload())
    result = unwire(machine)
    state = machine.tilde(machine.state)
    assert result.data["kept"] == [
        machine.tilde(machine.config_file),
        f"{state}/backups",
        f"{state}/sessions",
    ]
    assert f"{state}/backups: kept, it is yours; `runaway uninstall --purge` takes it too" in (
        result.lines
    )
    assert names(machine.data) == ["launch"]
    assert names(machine.config) == ["config.toml"]
    kept = backups.list_backups(machine.state)
    assert {backup.path for backup in kept} == {user_file(machine)}
    assert PLAIN in [backup.content.read_bytes() for backup in kept]
    assert receipts.all_receipts(machine.state).receipts == ()


def test_the_question_names_everything_that_goes_and_what_stays(machine: Machine) -> None:
    user_file(machine, PLAIN)
    wire(machine, wishes=Wishes("observe"))
    before = tree(machine.home)
    told = uninstall.would_go(machine, uninstall.Options())
    assert told[0] == "~/.claude/settings.json: entry would be removed"
    assert "~/.local/share/runaway/guard: would be removed" in told
    assert "~/.config/runaway/config.toml: would be kept" in told
    purged = uninstall.would_go(machine, uninstall.Options(purge=True))
    assert "~/.config/runaway/config.toml: would be removed" in purged
    assert tree(machine.home) == before


def test_setup_after_uninstall_starts_anew(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    for _ in range(2):
        assert row(wire(machine))["action"] == "added"
        unwire(machine, restore=True)
        assert file.read_bytes() == PLAIN


def test_where_nothing_is_installed_nothing_happens(bare: Machine) -> None:
    result = unwire(bare)
    assert (result.exit_code, result.status, result.messages) == (0, "unchanged", ())
    assert (result.data["files"], result.data["removed"]) == ([], [])
    assert result.lines == ("No settings file holds an entry of the guard.",)
    assert [path for path in bare.home.rglob("*") if path.is_file()] == []


def test_a_second_uninstall_changes_nothing_more(wired: Machine) -> None:
    unwire(wired)
    assert unwire(wired).data["files"] == []
    wired.launcher.unlink()
    unwire(wired)
    assert not wired.launcher.exists()


def test_where_the_system_has_one_folder_for_all_the_launcher_stays_too(machine: Machine) -> None:
    """macOS: data, config and state are the same folder."""
    one = machine._replace(config=machine.data, state=machine.data)
    wire(one, wishes=Wishes("observe"))
    call(registered(one), payload())
    unwire(one)
    assert names(one.data) == ["backups", "config.toml", "launch", "lock", "receipts", "sessions"]
    unwire(one, purge=True)
    assert names(one.data) == ["launch"]
    assert call(registered(one), payload()) == (0, b"")


def test_a_state_folder_that_the_user_linked_is_emptied(machine: Machine) -> None:
    real = machine.home / "elsewhere"
    real.mkdir(mode=0o700)
    machine.state.parent.mkdir(parents=True)
    machine.state.symlink_to(real)
    wire(machine)
    unwire(machine, purge=True)
    assert names(real) == []
    assert machine.state.is_symlink()


# -- what keeps the code in place


def break_the_file(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"// note\n")


def lock_the_file(file: Path) -> None:
    file.chmod(0o444)


def cut_the_file_off(file: Path) -> None:
    file.write_bytes(file.read_bytes().rstrip()[:-3])


def break_it_in_utf_16(file: Path) -> None:
    file.write_bytes((file.read_text() + "// note\n").encode("utf-16"))


def break_it_with_escaped_slashes(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"/", b"\\/") + b"// note\n")


OBSTACLES = [
    break_the_file,
    break_it_in_utf_16,
    break_it_with_escaped_slashes,
    lock_the_file,
    cut_the_file_off,
]


@pytest.mark.parametrize("obstacle", OBSTACLES, ids=lambda one: one.__name__)
def test_while_a_file_still_names_the_guard_its_code_stays(
    machine: Machine, obstacle: Callable[[Path], None]
) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    whole = file.read_bytes()
    obstacle(file)
    before = file.read_bytes()
    result = unwire(machine)
    assert (result.exit_code, result.status) == (1, "refused")
    assert codes(result)[-1] == "still-wired"
    assert row(result)["action"] == "refused"
    assert file.read_bytes() == before
    assert code_is_there(machine)
    file.chmod(0o600)
    file.write_bytes(whole)
    assert unwire(machine).exit_code == 0
    assert file.read_bytes() == PLAIN
    assert not code_is_there(machine)


@pytest.mark.parametrize(
    "plant",
    [
        lambda path: path.write_bytes(b'{ // a comment\n "model": "opus" }'),
        lambda path: path.write_bytes(b"\xff\xff\xff"),
        lambda path: path.mkdir(),
        lambda path: path.symlink_to("nowhere"),
        os.mkfifo,
    ],
    ids=["a comment", "no text", "a folder", "a dangling link", "a FIFO"],
)
def test_a_strange_file_that_does_not_name_the_guard_is_no_obstacle(
    wired: Machine, tmp_path: Path, plant: Callable[[Path], None]
) -> None:
    file = tmp_path / "project/.claude/settings.json"
    file.parent.mkdir(parents=True)
    plant(file)
    before = tree(file.parent)
    result = unwire(wired, project=file.parent.parent)
    assert (result.exit_code, result.messages) == (0, ())
    assert tree(file.parent) == before
    assert not code_is_there(wired)


def test_one_refused_file_does_not_keep_the_others_wired(wired: Machine, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    wire(wired, scope="project", project=project)
    file = project / ".claude/settings.json"
    break_the_file(file)
    result = unwire(wired)
    assert {one["path"]: one["action"] for one in result.data["files"]} == {
        str(user_file(wired)): "removed",
        str(file): "refused",
    }
    assert not user_file(wired).exists()
    assert code_is_there(wired)


def test_another_harness_that_is_still_wired_keeps_the_code(
    wired: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--harness` takes one harness's entries; the code goes with the last."""
    first = HARNESSES["claude"]
    other = wired.home / "other.json"
    other.write_bytes(hooks(entry(wired)))

    class Second:
        NAME, DISPLAY, SCOPES, MOVED_BY, NEXT_STEPS = "second", "Second", ("user",), "", ()

        def path(self, *_: object) -> Path:
            return other

        def legacy_paths(self, _: Machine) -> tuple[Path, ...]:
            return ()

        def edit_target(self, machine: Machine, scope: str, path: Path) -> object:
            return first.edit_target(machine, scope, path)._replace(harness="second")

    monkeypatch.setitem(HARNESSES, "second", Second())
    result = unwire(wired, harnesses=("claude",))
    assert (result.exit_code, row(result)["harness"]) == (0, "claude")
    assert result.data["removed"] == []
    assert code_is_there(wired)
    assert row(unwire(wired, harnesses=("second",)))["harness"] == "second"
    assert not code_is_there(wired)


def test_an_unknown_harness_is_a_mistake_that_lists_the_known_ones(wired: Machine) -> None:
    before = tree(wired.home)
    with pytest.raises(Refusal) as caught:
        unwire(wired, harnesses=("emacs",))
    assert (caught.value.usage, "claude" in caught.value.text) == (True, True)
    assert tree(wired.home) == before


# -- hostile state


def test_a_planted_receipt_moves_nothing_out_of_place(wired: Machine, tmp_path: Path) -> None:
    """A receipt is a claim: it cannot make uninstall delete or overwrite a stranger's file."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    receipt = receipts.find(wired.state, user_file(wired), "claude")
    assert receipt is not None
    receipts.record(
        wired.state,
        receipt._replace(
            path=victim, target=victim, after=receipts.digest(b"other"), folders=(tmp_path,)
        ),
    )
    unwire(wired, restore=True)
    assert victim.read_bytes() == b"precious"


def test_damaged_receipts_are_passed_over(wired: Machine) -> None:
    for path in (wired.state / "receipts").iterdir():
        path.write_bytes(b"{")
    (wired.state / "receipts" / ("0" * 32 + ".json")).write_bytes(b"\xff")
    assert unwire(wired, restore=True).exit_code == 0
    assert json.loads(user_file(wired).read_bytes()) == {"hooks": {"PreToolUse": []}}


def test_a_state_folder_of_links_is_refused_and_nothing_is_lost(
    wired: Machine, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious.json").write_bytes(b"{}")
    receipts_folder = wired.state / "receipts"
    receipts_folder.rename(wired.home / "aside")
    receipts_folder.symlink_to(victim)
    with pytest.raises(Refusal) as caught:
        unwire(wired)
    assert caught.value.code == "unsafe-state"
    assert names(victim) == ["precious.json"]
    assert code_is_there(wired)
