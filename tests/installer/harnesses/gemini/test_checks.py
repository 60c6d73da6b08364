"""What the doctor says of Gemini CLI: whether it runs the guard, and why not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import gemini
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.gemini.checks import all_settings
from runaway.installer.harnesses.gemini.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import codes, diagnose, levels, row, unwire, wire

GEMINI = ("gemini",)
HEALTHY = [
    ("installed.entry", "ok"),
    ("allowed.disabled", "ok"),
    ("trusted.folder", "info"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def wired(machine: Machine) -> Machine:
    assert wire(machine, harnesses=GEMINI).exit_code == 0
    return machine


def settings(machine: Machine) -> Path:
    return machine.home / ".gemini/settings.json"


def change(machine: Machine, **changes: Any) -> None:
    path = settings(machine)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


def in_project(project: Path, text: str) -> Path:
    path = project / ".gemini/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    return path


def told(found: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.check, check.level) for check in found]


def troubles(machine: Machine, project: Path) -> list[tuple[str, str]]:
    """What is not as in a healthy setup."""
    return [one for one in told(examine(machine, project)) if one not in HEALTHY]


def test_setup_names_the_hook_and_counts_in_milliseconds(machine: Machine) -> None:
    assert row(wire(machine, harnesses=GEMINI))["action"] == "added"
    handler = {
        "type": "command",
        "name": "runaway",
        "command": command_for(machine.launcher, "gemini"),
        "timeout": 10_000,
    }
    group = [{"hooks": [handler]}]
    hooks = json.loads(settings(machine).read_bytes())["hooks"]
    assert hooks == {"BeforeTool": group, "BeforeAgent": group}
    assert row(wire(machine, harnesses=GEMINI))["action"] == "unchanged"


def test_gemini_cli_home_moves_the_file_and_the_doctor_tells_of_the_one_left(
    wired: Machine, project: Path
) -> None:
    moved = wired._replace(environ={**wired.environ, "GEMINI_CLI_HOME": str(wired.home / "g")})
    assert ("allowed.config-folder", "info") in troubles(moved, project)
    wire(moved, harnesses=GEMINI)
    assert (wired.home / "g/.gemini/settings.json").exists()
    unwire(moved, harnesses=GEMINI)
    assert not (wired.home / "g").exists()
    assert not settings(wired).exists()


def test_a_healthy_setup_is_all_ok(wired: Machine, project: Path) -> None:
    assert told(examine(wired, project)) == HEALTHY


def test_the_registered_command_is_run_as_it_stands_and_denies(wired: Machine) -> None:
    assert levels(diagnose(wired, harnesses=GEMINI))["fires.command"] == "ok"


def test_without_an_entry_there_is_no_guard(machine: Machine, project: Path) -> None:
    assert ("installed.entry", "error") in troubles(machine, project)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"timeout": 10000', '"timeout": 10', ("installed.entry", "error")),
        ('"name": "runaway",', "", ("installed.entry", "warning")),
        ("BeforeAgent", "AfterAgent", ("installed.events", "warning")),
        ("BeforeTool", "AfterTool", ("installed.events", "error")),
    ],
)
def test_an_entry_that_is_not_what_setup_writes(
    wired: Machine, project: Path, old: str, new: str, expected: tuple[str, str]
) -> None:
    path = settings(wired)
    path.write_text(path.read_text().replace(old, new, 1))
    assert expected in troubles(wired, project)


def test_an_entry_that_stands_twice_is_told_and_repaired(wired: Machine, project: Path) -> None:
    hooks = json.loads(settings(wired).read_bytes())["hooks"]
    change(wired, hooks={**hooks, "BeforeTool": hooks["BeforeTool"] * 2})
    assert ("installed.once", "warning") in troubles(wired, project)
    wire(wired, harnesses=GEMINI)
    assert troubles(wired, project) == []


def test_a_copy_of_claude_codes_entry_is_told(wired: Machine, project: Path) -> None:
    """As `gemini hooks migrate` makes it: ten seconds became ten milliseconds."""
    hooks = json.loads(settings(wired).read_bytes())["hooks"]
    copy = {"type": "command", "command": command_for(wired.launcher, "claude"), "timeout": 10}
    hooks["BeforeTool"] = [{"hooks": [copy]}]
    in_project(project, json.dumps({"hooks": hooks}))
    assert troubles(wired, project) == [("installed.copy", "warning")]


def test_what_the_users_file_binds_need_not_be_bound_in_a_project(
    wired: Machine, project: Path
) -> None:
    hooks = json.loads(settings(wired).read_bytes())["hooks"]
    in_project(project, json.dumps({"hooks": {"BeforeAgent": hooks["BeforeAgent"]}}))
    assert troubles(wired, project) == []
    settings(wired).unlink()
    assert troubles(wired, project) == [("installed.events", "error")]


@pytest.mark.parametrize("enabled", [False, 0, "", "false"])
def test_hooks_that_are_switched_off(wired: Machine, project: Path, enabled: object) -> None:
    change(wired, hooksConfig={"enabled": enabled})
    assert ("allowed.disabled", "error") in troubles(wired, project)


@pytest.mark.parametrize("enabled", [True, None, "x", {}, []])
def test_what_it_does_not_take_for_false(wired: Machine, project: Path, enabled: object) -> None:
    change(wired, hooksConfig={"enabled": enabled})
    assert troubles(wired, project) == []


@pytest.mark.parametrize(
    ("disabled", "off"),
    [(["runaway"], True), ("runaway", True), (["other", 5], False), (None, False), ({}, False)],
)
def test_a_hook_that_is_switched_off_by_its_name(
    wired: Machine, project: Path, disabled: object, off: bool
) -> None:
    change(wired, hooksConfig={"disabled": disabled})
    assert troubles(wired, project) == [("allowed.disabled", "error")] * off


def test_a_hook_without_a_name_is_switched_off_by_its_command(
    wired: Machine, project: Path
) -> None:
    change(wired, hooksConfig={"disabled": [command_for(wired.launcher, "gemini")]})
    assert ("allowed.disabled", "error") in troubles(wired, project)


def test_the_project_outranks_the_user_and_the_machine_both(wired: Machine, project: Path) -> None:
    change(wired, hooksConfig={"enabled": False})
    in_project(project, '{"hooksConfig": {"enabled": true}}')
    assert troubles(wired, project) == []
    system = wired.root / "etc/gemini-cli/settings.json"
    system.parent.mkdir(parents=True)
    system.write_text('{"hooksConfig": {"enabled": false}}')
    assert troubles(wired, project) == [("allowed.managed", "error")]


def test_a_project_in_the_home_folder_is_the_users_file_and_no_other(wired: Machine) -> None:
    assert len(all_settings(wired, wired.home)) == 3


@pytest.mark.parametrize("text", ["{,}", "\ufeff{}", "", " ", "[]", '{"hooks": []}'])
def test_a_file_with_which_it_does_not_run_the_guard(
    wired: Machine, project: Path, text: str
) -> None:
    settings(wired).write_text(text)
    assert ("allowed.file", "error") in troubles(wired, project)


def test_a_broken_file_of_the_project_is_a_warning_and_hooks_set_to_nothing_there_an_error(
    wired: Machine, project: Path
) -> None:
    path = in_project(project, "{,}")
    assert troubles(wired, project) == [("allowed.file", "warning")]
    path.write_text('{"hooks": null}')
    assert troubles(wired, project) == [("allowed.file", "error")]


def test_setup_refuses_what_silences_hooks(machine: Machine) -> None:
    path = settings(machine)
    path.parent.mkdir()
    path.write_text('{"hooksConfig": null}')
    assert codes(wire(machine, harnesses=GEMINI)) == ["gemini-silences-hooks"]


def rules(machine: Machine, text: str) -> None:
    (machine.home / ".gemini/trustedFolders.json").write_text(text)


def trust(machine: Machine, project: Path) -> Check:
    [check] = [one for one in examine(machine, project) if one.check == "trusted.folder"]
    return check


@pytest.mark.parametrize(
    ("level", "below", "expected"),
    [
        ("TRUST_FOLDER", "", "ok"),
        ("TRUST_FOLDER", "..", "ok"),
        ("TRUST_PARENT", "../sibling", "ok"),
        ("TRUST_FOLDER", "below", "info"),
        ("DO_NOT_TRUST", "", "error"),
        ("DO_NOT_TRUST", "..", "error"),
        ("something", "", "info"),
    ],
)
def test_whether_a_folder_is_trusted(
    wired: Machine, project: Path, level: str, below: str, expected: str
) -> None:
    rules(wired, json.dumps({str(project / below): level}))
    assert trust(wired, project).level == expected


def test_of_several_rules_the_longest_path_decides(wired: Machine, project: Path) -> None:
    above = {str(project.parent): "DO_NOT_TRUST"}
    rules(wired, json.dumps({str(project): "TRUST_FOLDER", **above}))
    assert trust(wired, project).level == "ok"


def test_a_record_of_trust_that_does_not_parse_keeps_it_from_starting(
    wired: Machine, project: Path
) -> None:
    rules(wired, "{,}")
    assert trust(wired, project).level == "error"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"GEMINI_CLI_TRUST_WORKSPACE": "true"}, "ok"),
        ({"GEMINI_CLI_TRUST_WORKSPACE": "false"}, "error"),
        ({"GEMINI_RESTRICTED_MODE": "true"}, "error"),
        ({}, "info"),
    ],
)
def test_variables_decide_before_all_rules(
    wired: Machine, project: Path, environ: dict[str, str], expected: str
) -> None:
    machine = wired._replace(environ={**wired.environ, **environ})
    assert trust(machine, project).level == expected


def test_folder_trust_can_be_switched_off_but_not_by_the_project(
    wired: Machine, project: Path
) -> None:
    off = {"folderTrust": {"enabled": False}}
    path = in_project(project, json.dumps({"security": off}))
    assert trust(wired, project).level == "info"
    path.unlink()
    change(wired, security=off)
    assert trust(wired, project).level == "ok"


def test_without_the_program_the_drill_says_so(wired: Machine) -> None:
    [check] = drill(gemini, wired, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")


@pytest.mark.parametrize("answer", [b"", b"{}", b"[]", b"null", b"x", b'{"decision": "ask"}'])
def test_only_a_denial_is_one(answer: bytes) -> None:
    assert not gemini.is_denial(answer)
    assert gemini.is_denial(b'{"decision": "deny", "reason": "x"}')
