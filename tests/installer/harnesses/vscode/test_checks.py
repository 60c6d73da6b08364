"""The file of hooks that VS Code shares with Copilot CLI, and what the doctor says of its settings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from runaway.installer.commands import status, uninstall
from runaway.installer.harnesses import vscode
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.vscode.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import diagnose, levels, row, unwire, wire

BOTH = ("copilot", "vscode")
HEALTHY = [("installed.entry", "ok"), ("allowed.disabled", "ok"), ("trusted.consent", "ok")]


@pytest.fixture
def wired(machine: Machine) -> Machine:
    assert wire(machine, harnesses=("vscode",)).exit_code == 0
    return machine


def hooks_file(machine: Machine) -> Path:
    return machine.home / ".copilot/hooks/runaway.json"


def troubles(machine: Machine) -> list[tuple[str, str]]:
    """What is not as in a healthy setup."""
    return [one for one in told(examine(machine, machine.home)) if one not in HEALTHY]


def told(found: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.check, check.level) for check in found]


def settings(machine: Machine, place: str, text: str) -> Path:
    path = machine.home / place / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_setup_writes_copilots_entry(machine: Machine) -> None:
    assert row(wire(machine, harnesses=("vscode",)))["action"] == "added"
    handler = {
        "type": "command",
        "command": command_for(machine.launcher, "copilot"),
        "timeout": 10,
    }
    hooks = json.loads(hooks_file(machine).read_bytes())["hooks"]
    assert hooks == {"PreToolUse": [handler], "UserPromptSubmit": [handler]}
    again = wire(machine, harnesses=BOTH).data["harnesses"]
    assert [one["action"] for one in again] == ["unchanged"] * 2


@pytest.mark.parametrize("first", BOTH)
def test_the_entry_goes_with_the_last_of_those_that_share_it(machine: Machine, first: str) -> None:
    last = next(name for name in BOTH if name != first)
    wire(machine, harnesses=BOTH)
    kept = unwire(machine, harnesses=(first,))
    assert (kept.exit_code, row(kept)["action"]) == (0, "kept")
    assert hooks_file(machine).exists()
    assert levels(diagnose(machine, harnesses=(last,)))["installed.entry"] == "ok"
    assert row(unwire(machine, harnesses=(last,)))["action"] == "removed"
    assert not (machine.home / ".copilot").exists()


@pytest.mark.parametrize("dry", [False, True])
def test_an_entry_that_stays_is_told_and_keeps_the_code(machine: Machine, dry: bool) -> None:
    wire(machine, harnesses=BOTH)
    only = uninstall.Options(("copilot",), dry_run=dry)
    words = "~/.copilot/hooks/runaway.json: entry kept: another agent that stays runs it too"
    assert uninstall.would_go(machine, only) == (words,)
    told = uninstall.run(machine, only)
    assert (told.lines, told.data["removed"]) == ((words,), [])
    assert (machine.data / "guard").exists()


def test_a_dry_run_of_both_makes_the_file_once(machine: Machine) -> None:
    text = "\n".join(wire(machine, harnesses=BOTH, dry_run=True).lines)
    assert text.count("--- /dev/null") == 1


def test_nobody_is_listed_who_was_not_chosen(machine: Machine) -> None:
    wire(machine, harnesses=("copilot",))
    assert [
        one["harness"] for one in wire(machine, harnesses=(), refresh=True).data["harnesses"]
    ] == ["copilot"]
    assert [one["harness"] for one in status.run(machine, 0).data["harnesses"]] == ["copilot"]
    assert row(unwire(machine, harnesses=("copilot",)))["action"] == "removed"


def test_uninstall_without_a_choice_takes_it_from_both(machine: Machine) -> None:
    wire(machine, harnesses=BOTH)
    assert [one["action"] for one in unwire(machine, harnesses=()).data["files"]] == ["removed"]
    assert not (machine.home / ".copilot").exists()


def test_a_folder_that_is_moved_for_copilot_is_not_for_the_editor(machine: Machine) -> None:
    moved = machine._replace(environ={**machine.environ, "COPILOT_HOME": str(machine.home / "c")})
    wire(moved, harnesses=BOTH)
    assert hooks_file(machine).exists()
    assert (machine.home / "c/hooks/runaway.json").exists()
    unwire(moved, harnesses=("copilot",))
    assert hooks_file(machine).exists()


@pytest.mark.parametrize("both", [False, True])
def test_the_target_copilot_goes_by_that_variable(machine: Machine, both: bool) -> None:
    moved = machine._replace(environ={**machine.environ, "COPILOT_HOME": str(machine.home / "c")})
    wire(moved, harnesses=BOTH if both else ("vscode",))
    assert troubles(moved) == [("allowed.config-folder", "warning")] * (not both)


@pytest.mark.parametrize(("text", "runs"), [('{"chat.useClaudeHooks": true}', True), ("{}", False)])
def test_where_claude_codes_entry_runs_too_no_call_counts_twice(
    wired: Machine, text: str, runs: bool
) -> None:
    wire(wired, harnesses=("claude",))
    settings(wired, ".config/Code/User", text)
    assert troubles(wired) == [("allowed.once", "info")] * runs


def test_a_healthy_setup_is_all_ok(wired: Machine) -> None:
    assert told(examine(wired, wired.home)) == HEALTHY
    assert levels(diagnose(wired, harnesses=("vscode",)))["fires.command"] == "ok"


@pytest.mark.parametrize(
    "place",
    [
        ".config/Code/User",
        ".config/Code - Insiders/User/profiles/-5a1",
        ".config/VSCodium/User",
        ".vscode-server/data/Machine",
        ".vscode-server/data/User",
        ".vscode",
    ],
)
@pytest.mark.parametrize(
    ("text", "off"),
    [
        ('{\n  // mine\n  "chat.useHooks": false,\n}', True),
        ('{"chat.hookFilesLocations": {"~/.copilot/hooks": false}}', True),
        ('{"chat.hookFilesLocations": {".github/hooks": false}, "chat.useHooks": true}', False),
        ("{", False),
    ],
)
def test_settings_that_switch_hooks_off(wired: Machine, place: str, text: str, off: bool) -> None:
    path = settings(wired, place, text)
    assert troubles(wired) == [("allowed.disabled", "error")] * off
    if off:
        [error] = [one for one in examine(wired, wired.home) if one.level == "error"]
        assert wired.tilde(path) in error.message


def test_a_policy_of_the_organisation(wired: Machine) -> None:
    path = wired.root / "etc/vscode/policy.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"ChatHooks": false}')
    assert troubles(wired) == [("allowed.managed", "error")]


@pytest.mark.parametrize(("text", "hurts"), [("[]", True), ("// x\n{}", False)])
def test_what_it_makes_of_a_damaged_file(wired: Machine, text: str, hurts: bool) -> None:
    hooks_file(wired).write_text(text)
    assert (("allowed.file", "error") in troubles(wired)) is hurts


@pytest.mark.parametrize("folder", [".config/Code/User", ".vscode-server/data/Machine"])
def test_it_is_known_by_its_settings(machine: Machine, folder: str) -> None:
    assert vscode.detect(machine) is None
    (machine.home / folder).mkdir(parents=True)
    assert vscode.detect(machine)


def test_nothing_can_be_drilled(wired: Machine) -> None:
    [check] = drill(vscode, wired, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")
