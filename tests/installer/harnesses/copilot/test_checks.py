"""What the doctor says of Copilot: what it runs, and why not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import copilot
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.copilot import paths
from runaway.installer.harnesses.copilot.checks import checks as examine
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.installer.harnesses.copilot.tables import IGNORED, REFUSED
from tests.support.installer import diagnose, levels, wire

OFF = '{"disableAllHooks": true}'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def ours(machine: Machine, *events: str, **changes: Any) -> Path:
    command = command_for(machine.launcher, "copilot")
    entry = {"type": "command", "command": command, "timeout": 10, **changes}
    hooks = {event: [entry] for event in events or paths.EVENTS}
    return write(machine.home / ".copilot/hooks/runaway.json", json.dumps({"hooks": hooks}))


def checks(machine: Machine, project: Path) -> dict[str, Check]:
    return {check.check: check for check in examine(machine, project)}


def told(found: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.check, check.level) for check in found]


def test_a_healthy_setup_is_all_ok(machine: Machine, project: Path) -> None:
    ours(machine)
    assert told(examine(machine, project)) == [
        ("installed.entry", "ok"),
        ("allowed.disabled", "ok"),
        ("trusted.consent", "ok"),
    ]


def test_the_registered_command_is_run_as_it_stands_and_denies(machine: Machine) -> None:
    wire(machine, harnesses=("copilot",))
    assert levels(diagnose(machine, harnesses=("copilot",)))["fires.command"] == "ok"


def test_without_the_program_there_is_no_drill(machine: Machine) -> None:
    [check] = drill(copilot, machine, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")


STALE: dict[str, tuple[dict[str, Any], str]] = {
    "another timeout": ({"timeout": 60}, "warning"),
    "another launcher": ({"command": command_for(Path("/x/runaway/launch"), "copilot")}, "error"),
    "an empty matcher, with which it never runs": ({"matcher": ""}, "error"),
}


@pytest.mark.parametrize(("changes", "level"), STALE.values(), ids=STALE)
def test_an_entry_that_setup_would_write_otherwise_is_told_and_renewed(
    machine: Machine, project: Path, changes: dict[str, Any], level: str
) -> None:
    ours(machine, **changes)
    assert checks(machine, project)["installed.entry"].level == level
    wire(machine, harnesses=("copilot",))
    assert checks(machine, project)["installed.entry"].level == "ok"


def test_a_missing_entry_is_an_error(machine: Machine, project: Path) -> None:
    assert checks(machine, project)["installed.entry"].level == "error"
    write(machine.home / ".copilot/hooks/runaway.json", '{"hooks": {}}')
    assert checks(machine, project)["installed.entry"].level == "error"


@pytest.mark.parametrize(
    ("event", "level"), [("PreToolUse", "error"), ("UserPromptSubmit", "warning")]
)
def test_an_event_that_is_not_bound_is_told(
    machine: Machine, project: Path, event: str, level: str
) -> None:
    ours(machine, *(one for one in paths.EVENTS if one != event))
    found = checks(machine, project)["installed.events"]
    assert (found.level, event in found.message) == (level, True)


def test_two_entries_for_one_event_are_told(machine: Machine, project: Path) -> None:
    path = ours(machine)
    settings = json.loads(path.read_bytes())
    settings["hooks"]["PreToolUse"] *= 2
    path.write_text(json.dumps(settings))
    assert checks(machine, project)["installed.once"].level == "error"


@pytest.mark.parametrize("text", [text for text, _ in (*IGNORED.values(), *REFUSED.values())])
def test_a_file_that_copilot_ignores_is_an_error(
    machine: Machine, project: Path, text: str
) -> None:
    ours(machine).write_text(text)
    found = checks(machine, project)["allowed.file"]
    assert found.level == "error"
    assert "Copilot ignores the whole file ~/.copilot/hooks/runaway.json" in found.message


def test_a_file_that_cannot_be_read_is_an_error(machine: Machine, project: Path) -> None:
    (machine.home / ".copilot/hooks/runaway.json").mkdir(parents=True)
    assert checks(machine, project)["allowed.file"].level == "error"


@pytest.mark.parametrize("name", paths.IN_PROJECT)
def test_a_project_that_switches_all_hooks_off_is_an_error(
    machine: Machine, project: Path, name: str
) -> None:
    ours(machine)
    write(project / name, OFF)
    found = checks(machine, project)["allowed.disabled"]
    assert (found.level, name in found.message) == ("error", True)


@pytest.mark.parametrize("repository", [True, False])
def test_of_a_repository_only_the_settings_at_its_root_count(
    machine: Machine, project: Path, repository: bool
) -> None:
    ours(machine)
    inside = project / "src"
    write(inside / paths.IN_PROJECT[0], OFF)
    if repository:
        (project / ".git").mkdir()
    level = "ok" if repository else "error"
    assert checks(machine, inside)["allowed.disabled"].level == level
    write(project / paths.IN_PROJECT[1], OFF)
    assert checks(machine, inside)["allowed.disabled"].level == "error"


NOT_OFF = {
    "false": '{"disableAllHooks": false}',
    "as text": '{"disableAllHooks": "true"}',
    "a comment, which it cannot read": f"// x\n{OFF}",
    "a list": "[]",
    "half a file": OFF[:-1],
}


@pytest.mark.parametrize("text", NOT_OFF.values(), ids=NOT_OFF)
def test_what_does_not_switch_them_off_is_no_error(
    machine: Machine, project: Path, text: str
) -> None:
    ours(machine)
    write(project / paths.IN_PROJECT[0], text)
    write(machine.home / ".copilot/settings.json", OFF)  # of the user's own files: their own hooks
    assert checks(machine, project)["allowed.disabled"].level == "ok"


def test_an_organisation_that_allows_only_its_own_hooks_is_an_error(
    machine: Machine, project: Path
) -> None:
    ours(machine)
    path = paths.managed_file(machine)
    write(path, '{"allowManagedHooksOnly": false}')
    assert "allowed.managed" not in checks(machine, project)
    write(path, '{"allowManagedHooksOnly": true}')
    assert checks(machine, project)["allowed.managed"].level == "error"


def test_the_guards_entry_in_claude_codes_project_file_is_told(
    machine: Machine, project: Path
) -> None:
    wire(machine, harnesses=("claude",), scope="project", project=project)
    found = checks(machine, project)["allowed.once"]
    assert (found.level, ".claude/settings.json" in found.message) == ("info", True)
