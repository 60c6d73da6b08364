from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.commands import setup
from runaway.installer.errors import Refusal
from runaway.installer.files import backups
from runaway.installer.harnesses import registry
from runaway.installer.launch_command import ANY_HOME, command_for
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.files import mode, tree
from tests.support.installer import (
    PLAIN,
    STYLES,
    THEIRS,
    codes,
    entry,
    hooks,
    in_file,
    in_project,
    install_claude,
    project_file,
    registered,
    row,
    unwire,
    user_file,
    wire,
)


def without_lock(machine: Machine) -> dict[str, tuple[object, ...]]:
    """The lock file tells who held it last; everything else must stay as it is."""
    found = tree(machine.home)
    lock = machine.state / "lock"
    return {path: facts for path, facts in found.items() if machine.home / path != lock}


# -- the same, again and again


@pytest.mark.parametrize("data", STYLES.values(), ids=STYLES.keys())
def test_a_file_of_any_style_is_added_to_once(house: Machine, tmp_path: Path, data: bytes) -> None:
    file = project_file(house, tmp_path, data)
    assert row(wire(house, **in_project(file)))["action"] == "added"
    after = tree(file.parent)
    assert row(wire(house, **in_project(file)))["action"] == "unchanged"
    assert tree(file.parent) == after


def test_the_second_run_changes_no_byte_and_no_time(machine: Machine) -> None:
    user_file(machine, PLAIN)
    first = wire(machine)
    before = without_lock(machine)
    second = wire(machine)
    assert (first.status, second.status) == ("changes", "unchanged")
    assert (row(first)["action"], row(second)["action"]) == ("added", "unchanged")
    assert without_lock(machine) == before
    assert second.exit_code == 0


def test_a_missing_file_is_made_private_with_its_folder_and_goes_again(bare: Machine) -> None:
    before = {path.name for path in bare.home.iterdir()}
    file = user_file(bare)
    assert row(wire(bare))["action"] == "added"
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    assert in_file(file) == [entry(bare)]
    unwire(bare)
    assert {path.name for path in bare.home.iterdir()} - {".local"} == before == set()


def test_the_mode_of_a_file_is_kept(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    file.chmod(0o640)
    wire(machine)
    assert mode(file) == 0o640


def test_before_the_first_change_the_bytes_are_kept(machine: Machine) -> None:
    user_file(machine, PLAIN)
    backup = row(wire(machine))["backup"]
    assert backups.load(machine.state, backup) == PLAIN


def test_a_link_stays_a_link_and_both_names_are_told(machine: Machine) -> None:
    """slkiser/opencode-quota#265: the dotfiles repository went stale unnoticed."""
    target = machine.home / "dotfiles/claude.json"
    target.parent.mkdir()
    target.write_bytes(PLAIN)
    link = user_file(machine)
    link.parent.mkdir()
    link.symlink_to("../dotfiles/claude.json")
    result = wire(machine)
    assert link.is_symlink()
    assert in_file(target) == [entry(machine)]
    assert "~/.claude/settings.json -> ~/dotfiles/claude.json" in result.lines[0]
    unwire(machine, restore=True)
    assert target.read_bytes() == PLAIN
    assert link.readlink() == Path("../dotfiles/claude.json")


def test_a_newer_release_gets_the_event_that_sees_failing_calls(machine: Machine) -> None:
    file = user_file(machine, PLAIN)
    wire(machine)
    install_claude(machine, "2.1.332")
    assert row(wire(machine))["action"] == "updated"
    assert json.loads(file.read_bytes())["hooks"] == {
        "PreToolUse": [entry(machine)],
        "PostToolBatch": [entry(machine)],
    }
    unwire(machine)
    assert file.read_bytes() == PLAIN


# -- what was asked for


def test_an_unknown_harness_is_a_mistake_that_lists_the_known_ones(bare: Machine) -> None:
    with pytest.raises(Refusal) as caught:
        wire(bare, harnesses=("claude", "emacs"))
    assert (caught.value.code, caught.value.usage) == ("unknown-harness", True)
    for name in registry.HARNESSES:
        assert name in caught.value.text
    assert list(bare.home.iterdir()) == []


def test_a_harness_named_twice_is_set_up_once(machine: Machine) -> None:
    assert row(wire(machine, harnesses=("claude", "claude")))["action"] == "added"


def test_an_unknown_scope_and_a_missing_project_are_mistakes(bare: Machine) -> None:
    for options in ({"scope": "world"}, {"scope": "project", "project": bare.home / "none"}):
        with pytest.raises(Refusal) as caught:
            wire(bare, **options)
        assert caught.value.usage
    assert list(bare.home.iterdir()) == []


@pytest.mark.parametrize(
    ("scope", "file"),
    [
        ("user", ".claude/settings.json"),
        ("project", "work/.claude/settings.json"),
        ("local", "work/.claude/settings.local.json"),
    ],
)
def test_the_entry_goes_where_the_scope_says(machine: Machine, scope: str, file: str) -> None:
    work = machine.home / "work"
    work.mkdir()
    result = wire(machine, scope=scope, project=work)
    assert row(result)["path"] == str(machine.home / file)
    assert row(result)["scope"] == scope
    portable = {"command": command_for(ANY_HOME, "claude")} if scope == "project" else {}
    assert in_file(machine.home / file) == [entry(machine, **portable)]


def test_without_names_the_detected_harnesses_are_meant(bare: Machine) -> None:
    none = wire(bare, harnesses=())
    assert {one["action"] for one in none.data["harnesses"]} == {"not-detected"}
    assert (none.exit_code, none.status) == (0, "unchanged")
    assert set(codes(none)) == {"not-detected"}
    assert wire(bare, harnesses=(), check=True).exit_code == 0
    assert list(bare.home.iterdir()) == []
    user_file(bare).parent.mkdir()
    found = wire(bare, harnesses=())
    assert {one["harness"] for one in found.data["harnesses"] if one["action"] == "added"} == {
        "claude"
    }


def test_wishes_are_stored_and_compiled(machine: Machine) -> None:
    wire(machine, wishes=Wishes("observe", 5.0, 20.0))
    policy = json.loads((machine.data / "policy.json").read_bytes())
    assert (policy["observe"], policy["session_cap"], policy["day_cap"]) == (True, 5.0, 20.0)
    assert mode(machine.config_file) == 0o600
    again = wire(machine)
    assert (again.status, json.loads((machine.data / "policy.json").read_bytes())) == (
        "unchanged",
        policy,
    )


def test_a_broken_config_is_refused_before_anything_is_written(machine: Machine) -> None:
    user_file(machine, PLAIN)
    machine.config_file.parent.mkdir(parents=True)
    machine.config_file.write_text('mode = "off"\n')
    before = tree(machine.home)
    with pytest.raises(Refusal) as caught:
        wire(machine)
    assert caught.value.code == "policy-value"
    assert tree(machine.home) == before


@pytest.mark.parametrize("named", ["moved", "rel/ative"])
def test_the_config_variable_is_honoured(machine: Machine, named: str) -> None:
    user_file(machine, PLAIN)
    value = str(machine.home / named) if named == "moved" else named
    moved = machine._replace(environ={**machine.environ, "CLAUDE_CONFIG_DIR": value})
    assert row(wire(moved))["path"] == str(machine.home / named / "settings.json")
    assert user_file(machine).read_bytes() == PLAIN


def test_an_empty_config_variable_counts_as_unset(machine: Machine) -> None:
    empty = machine._replace(environ={**machine.environ, "CLAUDE_CONFIG_DIR": ""})
    assert row(wire(empty))["path"] == str(user_file(machine))


# -- what is there already


def test_copies_collapse_into_the_first(house: Machine, tmp_path: Path) -> None:
    file = project_file(
        house, tmp_path, hooks(entry(house, timeout=5), THEIRS, entry(house), THEIRS)
    )
    assert row(wire(house, **in_project(file)))["action"] == "updated"
    assert in_file(file) == [entry(house), THEIRS, THEIRS]


def test_an_old_timeout_is_renewed_in_place(house: Machine, tmp_path: Path) -> None:
    before = hooks(THEIRS, entry(house, timeout=60), THEIRS)
    file = project_file(house, tmp_path, before)
    assert row(wire(house, **in_project(file)))["action"] == "updated"
    assert file.read_bytes() == before.replace(b'"timeout": 60', b'"timeout": 10')


def test_look_alikes_stay_where_they_are(house: Machine, tmp_path: Path) -> None:
    mention = {"hooks": [{"type": "command", "command": f"log '{house.launcher}' claude"}]}
    narrower = {"matcher": "Bash", **entry(house)}
    file = project_file(house, tmp_path, hooks(mention, narrower))
    assert row(wire(house, **in_project(file)))["action"] == "added"
    assert in_file(file) == [mention, narrower, entry(house)]


# -- what is told


def test_the_row_has_exactly_the_keys_of_the_contract(machine: Machine) -> None:
    user_file(machine, PLAIN)
    planned = row(wire(machine, dry_run=True))
    assert list(planned) == ["harness", "scope", "path", "action", "backup", "diff", "next"]
    assert (planned["backup"], planned["action"]) == (None, "added")
    assert planned["diff"].startswith("--- .claude/settings.json\n+++ .claude/settings.json\n")
    done = row(wire(machine))
    assert (done["diff"], bool(done["backup"]), bool(done["next"])) == (None, True, True)


def test_nothing_of_the_home_is_spelled_out(machine: Machine) -> None:
    user_file(machine, b"{")
    result = setup.run(machine, setup.Options(("claude",)))
    shown = [*result.lines, *(message.text for message in result.messages)]
    assert all(str(machine.home) not in text for text in shown)
    assert registered(machine) not in "".join(shown)
