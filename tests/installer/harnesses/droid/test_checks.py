"""What the doctor says of Droid: what it runs, and why not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import droid
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.droid.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.installer.harnesses.droid.tables import DROPPED, REFUSED
from tests.support.installer import diagnose, levels, wire

OFF = '{"hooks": {"hooksDisabled": true}}'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def ours(machine: Machine, times: int = 1, **changes: Any) -> Path:
    command = command_for(machine.launcher, "droid")
    group = {"hooks": [{"type": "command", "command": command, "timeout": 10, **changes}]}
    settings = {"hooks": {"PreToolUse": [group] * times}}
    return write(machine.home / ".factory/settings.json", json.dumps(settings))


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
    wire(machine, harnesses=("droid",))
    assert levels(diagnose(machine, harnesses=("droid",)))["fires.command"] == "ok"


def test_without_the_program_there_is_no_drill(machine: Machine) -> None:
    [check] = drill(droid, machine, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")


STALE: dict[str, tuple[dict[str, Any], str]] = {
    "another timeout": ({"timeout": 60}, "warning"),
    "another launcher": ({"command": command_for(Path("/x/runaway/launch"), "droid")}, "error"),
}


@pytest.mark.parametrize(("changes", "level"), STALE.values(), ids=STALE)
def test_an_entry_that_setup_would_write_otherwise_is_told(
    machine: Machine, project: Path, changes: dict[str, Any], level: str
) -> None:
    ours(machine, **changes)
    assert checks(machine, project)["installed.entry"].level == level


def test_a_missing_entry_is_an_error(machine: Machine, project: Path) -> None:
    assert checks(machine, project)["installed.entry"].level == "error"


def test_two_entries_are_told(machine: Machine, project: Path) -> None:
    ours(machine, times=2)
    assert checks(machine, project)["installed.once"].level == "error"


@pytest.mark.parametrize("text", [text for text, _ in (*DROPPED.values(), *REFUSED.values())])
def test_a_file_whose_hooks_droid_drops_is_an_error(
    machine: Machine, project: Path, text: str
) -> None:
    ours(machine).write_text(text)
    found = checks(machine, project)["allowed.file"]
    assert found.level == "error"
    assert "Droid runs no hook of ~/.factory/settings.json" in found.message


def test_a_file_that_cannot_be_read_is_an_error(machine: Machine, project: Path) -> None:
    (machine.home / ".factory/settings.json").mkdir(parents=True)
    assert checks(machine, project)["allowed.file"].level == "error"


def test_hooks_in_the_other_file_are_an_error(machine: Machine, project: Path) -> None:
    ours(machine)
    other = write(machine.home / ".factory/hooks.json", '{"Stop": []}')
    assert "allowed.other" not in checks(machine, project)
    other.write_text('{"PreToolUse": []}')
    assert checks(machine, project)["allowed.other"].level == "error"


def test_hooks_that_are_switched_off_are_an_error(machine: Machine, project: Path) -> None:
    path = ours(machine)
    settings = json.loads(path.read_bytes())
    settings["hooks"]["hooksDisabled"] = True
    path.write_text(json.dumps(settings))
    assert checks(machine, project)["allowed.disabled"].level == "error"


@pytest.mark.parametrize("inside", [True, False], ids=["in the project", "in the home"])
@pytest.mark.parametrize("name", ["settings.json", "hooks.json"])
def test_the_switch_may_stand_elsewhere(
    machine: Machine, project: Path, inside: bool, name: str
) -> None:
    path = ours(machine)
    if name == "settings.json" and not inside:
        write(path, OFF)
    else:
        folder = project if inside else machine.home
        text = OFF if name == "settings.json" else '{"hooksDisabled": true}'
        write(folder / ".factory" / name, text)
    assert checks(machine, project)["allowed.disabled"].level == "error"


@pytest.mark.parametrize("repository", [True, False])
def test_of_a_repository_all_folders_from_its_root_on_count(
    machine: Machine, project: Path, repository: bool
) -> None:
    ours(machine)
    write(project / ".factory/settings.json", OFF)
    inside = project / "src/deep"
    inside.mkdir(parents=True)
    if repository:
        (project / ".git").mkdir()
    level = "error" if repository else "ok"
    assert checks(machine, inside)["allowed.disabled"].level == level


@pytest.mark.parametrize("text", ["{", '{"hooks": {"hooksDisabled": "true"}}', '{"hooks": {}}'])
def test_what_does_not_switch_them_off_is_no_error(
    machine: Machine, project: Path, text: str
) -> None:
    ours(machine)
    write(project / ".factory/settings.json", text)
    assert checks(machine, project)["allowed.disabled"].level == "ok"
