from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.commands import setup, uninstall
from runaway.installer.files import backups
from runaway.installer.machine import Machine, scratch_machine
from tests.support.files import names, tree
from tests.support.installer import (
    PLAIN,
    STYLES,
    THEIRS,
    code_is_there,
    codes,
    entry,
    hooks,
    in_file,
    install_claude,
    row,
    unwire,
    user_file,
    wire,
)

# -- back to the bytes of before


@pytest.mark.parametrize("restore", [False, True], ids=["by structure", "by backup"])
def test_every_file_of_any_style_gets_its_bytes_back(machine: Machine, restore: bool) -> None:
    files = {}
    for number, (style, data) in enumerate(STYLES.items()):
        project = machine.home / str(number)
        files[style] = project / ".claude/settings.json"
        files[style].parent.mkdir(parents=True)
        files[style].write_bytes(data)
        wire(machine, scope="project", project=project)
    result = unwire(machine, restore=restore)
    assert {style: file.read_bytes() for style, file in files.items()} == STYLES
    actions = {one["action"] for one in result.data["files"]}
    assert actions == {"restored" if restore else "removed"}
    assert (result.exit_code, result.status) == (0, "removed")


@pytest.mark.parametrize("restore", [False, True])
def test_a_file_that_setup_made_goes_with_the_folders_it_made(
    machine: Machine, restore: bool
) -> None:
    project = machine.home / "project"
    project.mkdir()
    wire(machine, scope="local", project=project)
    unwire(machine, restore=restore)
    assert names(project) == []


@pytest.mark.parametrize("restore", [False, True])
def test_a_file_that_setup_made_stays_when_others_wrote_into_it(
    machine: Machine, restore: bool
) -> None:
    file = user_file(machine)
    wire(machine)
    file.write_bytes(
        file.read_bytes().replace(b'{\n  "hooks"', b'{\n  "model": "opus",\n  "hooks"')
    )
    unwire(machine, restore=restore)
    assert json.loads(file.read_bytes()) == {"model": "opus"}


def test_after_another_change_only_our_handler_goes(machine: Machine) -> None:
    file = user_file(machine, hooks(THEIRS))
    wire(machine)
    newer = json.loads(file.read_bytes())
    newer["model"] = "sonnet"
    newer["hooks"]["PreToolUse"].append(THEIRS)
    file.write_text(json.dumps(newer))  # rewritten as a whole, as Claude Code itself does
    assert row(unwire(machine))["action"] == "removed"
    assert json.loads(file.read_bytes()) == {
        "model": "sonnet",
        "hooks": {"PreToolUse": [THEIRS, THEIRS]},
    }


def test_restore_never_overwrites_a_newer_edit_and_keeps_the_backup(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    file.write_bytes(file.read_bytes().replace(b'"opus"', b'"sonnet"'))
    result = unwire(machine, restore=True)
    assert row(result)["action"] == "changed-since"
    assert (result.exit_code, codes(result)) == (0, ["changed-since"])
    assert file.read_bytes() == PLAIN.replace(b"opus", b"sonnet")
    kept = [backup.content.read_bytes() for backup in backups.list_backups(machine.state)]
    assert PLAIN in kept


def test_a_change_that_was_taken_back_can_be_restored(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    wired = file.read_bytes()
    file.write_bytes(b"{}")
    file.write_bytes(wired)
    assert row(unwire(machine, restore=True))["action"] == "restored"


def test_two_setups_are_undone_by_one_uninstall(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    install_claude(machine, "2.1.332")
    assert row(wire(machine))["action"] == "updated"
    assert row(unwire(machine, restore=True))["action"] == "restored"
    assert file.read_bytes() == PLAIN


def test_bytes_that_others_changed_between_two_setups_are_not_given_back(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    file.write_bytes(hooks(entry(machine, timeout=60), THEIRS, entry(machine)))
    wire(machine)
    assert row(unwire(machine, restore=True))["action"] == "changed-since"
    assert in_file(file) == [THEIRS]


def test_without_receipt_and_backup_the_entry_goes_all_the_same(wired: Machine) -> None:
    file = user_file(wired)
    file.write_bytes(hooks(THEIRS, entry(wired)))
    for path in (wired.state / "receipts").iterdir():
        path.unlink()
    assert row(unwire(wired, restore=True))["action"] == "removed"
    assert in_file(file) == [THEIRS]


def test_a_lost_backup_is_no_obstacle(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    for content in (machine.state / "backups").glob("*/content"):
        content.write_bytes(b"damaged")
    assert row(unwire(machine, restore=True))["action"] == "changed-since"
    assert file.read_bytes() == PLAIN


def test_look_alikes_stay(machine: Machine) -> None:
    mention = {"hooks": [{"type": "command", "command": f"log '{machine.launcher}' claude"}]}
    narrower = {"matcher": "Bash", **entry(machine)}
    before = hooks(mention, narrower)
    file = user_file(machine, before)
    wire(machine)
    unwire(machine)
    assert file.read_bytes() == before


def test_a_shared_group_keeps_the_others(wired: Machine) -> None:
    shared = {"hooks": [*THEIRS["hooks"], *entry(wired)["hooks"]]}
    file = user_file(wired, hooks(shared))
    unwire(wired)
    assert in_file(file) == [{"hooks": THEIRS["hooks"]}]


# -- where entries may be


def test_all_scopes_of_the_project_are_looked_at(machine: Machine, tmp_path: Path) -> None:
    """Also entries of which no receipt tells: copied by hand, checked out from a repository."""
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    wire(machine)
    for name in ("settings.json", "settings.local.json"):
        (project / ".claude" / name).write_bytes(hooks(entry(machine)))
    result = unwire(machine, project=project)
    assert [one["scope"] for one in result.data["files"]] == ["user", "project", "local"]
    assert in_file(project / ".claude/settings.json") == []


def test_an_entry_in_a_config_folder_that_moved_since_is_found(machine: Machine) -> None:
    moved = machine.home / "moved"
    wire(machine._replace(environ={**machine.environ, "CLAUDE_CONFIG_DIR": str(moved)}))
    assert (moved / "settings.json").exists()
    assert row(unwire(machine))["path"] == str(moved / "settings.json")
    assert not moved.exists()


def test_an_entry_in_the_default_folder_is_found_when_the_variable_points_elsewhere(
    wired: Machine,
) -> None:
    environ = {**wired.environ, "CLAUDE_CONFIG_DIR": str(wired.home / "moved")}
    assert row(unwire(wired._replace(environ=environ)))["path"] == str(user_file(wired))


def test_an_entry_of_another_data_folder_is_ours_too(wired: Machine) -> None:
    """XDG_DATA_HOME was another one at setup."""
    other = wired._replace(data=wired.home / "other/runaway")
    unwire(other)
    assert not user_file(wired).exists()


# -- dry run and what is told


@pytest.mark.parametrize("restore", [False, True])
def test_a_dry_run_shows_the_diff_and_writes_nothing(machine: Machine, restore: bool) -> None:
    user_file(machine, PLAIN)
    wire(machine)
    before = tree(machine.home)
    result = unwire(machine, dry_run=True, restore=restore)
    assert tree(machine.home) == before
    told = ["~/.local/share/runaway/guard", "~/.local/state/runaway/backups"]
    assert (result.exit_code, result.data["removed"][0], result.data["kept"]) == (
        0,
        told[0],
        told[1:],
    )
    assert f"{told[0]}: would be removed" in result.lines
    assert result.lines[0] + "\n" == row(result)["diff"]
    removed = [line for line in result.lines[0].splitlines() if line.startswith("-")]
    assert any("runaway/launch" in line for line in removed)


def test_a_dry_run_where_nothing_is_installed_makes_no_folder(bare: Machine) -> None:
    assert unwire(bare, dry_run=True).exit_code == 0
    assert list(bare.home.iterdir()) == []


def test_a_row_tells_harness_scope_path_and_action(wired: Machine) -> None:
    assert row(unwire(wired)) == {
        "harness": "claude",
        "scope": "user",
        "path": str(user_file(wired)),
        "action": "removed",
        "diff": None,
    }


def test_without_names_every_harness_is_meant(machine: Machine) -> None:
    setup.run(machine, setup.Options(("claude",)))
    result = uninstall.run(machine, uninstall.Options())
    assert [one["harness"] for one in result.data["files"]] == ["claude"]
    assert not code_is_there(machine)


def test_the_home_of_another_user_is_never_looked_at(wired: Machine, tmp_path: Path) -> None:
    other = scratch_machine(tmp_path / "other")
    other.home.mkdir()
    unwire(other)
    assert in_file(user_file(wired)) == [entry(wired)]
    assert code_is_there(wired)
