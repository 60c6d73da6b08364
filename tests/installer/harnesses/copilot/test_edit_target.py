"""Setup and uninstall on hooks/runaway.json, and what makes Copilot ignore such a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.documents import json_document
from runaway.installer.documents.values import name_of
from runaway.installer.harnesses import copilot
from runaway.installer.harnesses.copilot import paths
from runaway.installer.harnesses.copilot.validation import RULES, problems
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.installer.harnesses.copilot.tables import IGNORED, LOADED, REFUSED
from tests.support.installer import codes, row, unwire, wire

COPILOT = ("copilot",)


@pytest.fixture
def file(machine: Machine) -> Path:
    path = machine.home / ".copilot/hooks/runaway.json"
    path.parent.mkdir(parents=True)
    return path


def test_a_new_file_has_one_entry_per_event(machine: Machine) -> None:
    assert row(wire(machine, harnesses=COPILOT))["action"] == "added"
    path = machine.home / ".copilot/hooks/runaway.json"
    command = command_for(machine.launcher, "copilot")
    entry = {"type": "command", "command": command, "timeout": 10}
    assert json.loads(path.read_bytes()) == {"hooks": {event: [entry] for event in paths.EVENTS}}


def test_a_file_that_setup_made_goes_with_its_folders(machine: Machine) -> None:
    wire(machine, harnesses=COPILOT)
    unwire(machine, harnesses=COPILOT)
    assert not (machine.home / ".copilot").exists()


def test_other_files_of_the_folder_are_not_looked_at(machine: Machine, file: Path) -> None:
    other = file.with_name("other.json")
    other.write_text("// broken")
    assert row(wire(machine, harnesses=COPILOT))["action"] == "added"
    unwire(machine, harnesses=COPILOT)
    assert other.read_text() == "// broken"
    assert not file.exists()


@pytest.mark.parametrize("text", LOADED.values(), ids=LOADED)
def test_what_copilot_loads_is_wired_and_given_back(
    machine: Machine, file: Path, text: str
) -> None:
    file.write_text(text)
    assert row(wire(machine, harnesses=COPILOT))["action"] == "added"
    unwire(machine, harnesses=COPILOT)
    assert file.read_text() == text


@pytest.mark.parametrize(("text", "place"), IGNORED.values(), ids=IGNORED)
def test_what_copilot_ignores_is_refused_with_the_place(
    machine: Machine, file: Path, text: str, place: str
) -> None:
    [fault] = problems(json_document.parse(text.encode(), RULES, "x"))
    assert name_of(fault.path) == place
    file.write_text(text)
    result = wire(machine, harnesses=COPILOT)
    assert codes(result) == ["copilot-ignores-file"]
    assert f"{place} at " in result.messages[0].text
    assert file.read_text() == text


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED)
def test_what_copilot_cannot_parse_is_refused(
    machine: Machine, file: Path, text: str, code: str
) -> None:
    file.write_text(text)
    assert codes(wire(machine, harnesses=COPILOT)) == [code]
    assert file.read_text() == text


def test_a_variable_moves_the_folder_and_uninstall_finds_what_was_before(
    machine: Machine, tmp_path: Path
) -> None:
    wire(machine, harnesses=COPILOT)
    moved = machine._replace(environ={**machine.environ, "COPILOT_HOME": str(tmp_path / "moved")})
    assert row(wire(moved, harnesses=COPILOT))["action"] == "added"
    assert (tmp_path / "moved/hooks/runaway.json").exists()
    unwire(moved, harnesses=COPILOT)
    assert not (tmp_path / "moved/hooks/runaway.json").exists()
    assert not (machine.home / ".copilot").exists()


@pytest.mark.parametrize(
    ("named", "folder"),
    [
        (None, "{home}/.copilot"),
        ("", "{home}/.copilot"),
        ("x", "{cwd}/x"),
        ("/x", "/x"),
        (" ", "{cwd}/ "),
    ],
)
def test_the_folder_is_the_one_that_copilot_takes(
    machine: Machine, tmp_path: Path, named: str | None, folder: str
) -> None:
    environ = {} if named is None else {"COPILOT_HOME": named}
    found = paths.folder(machine._replace(environ=environ, cwd=tmp_path))
    assert str(found) == folder.format(home=machine.home, cwd=tmp_path)


def test_the_guard_knows_the_file_by_its_name() -> None:
    """It says nothing a second time where that file is wired."""
    assert f"/{paths.FILE}" == "/hooks/runaway.json"


def test_there_is_only_the_scope_of_the_user() -> None:
    assert copilot.SCOPES == ("user",)


def test_copilot_is_found_by_its_program_or_its_folder(machine: Machine) -> None:
    bare = machine._replace(environ={"PATH": str(machine.home / "bin")})
    assert copilot.detect(bare) is None
    (machine.home / "bin").mkdir()
    program = machine.home / "bin/copilot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (machine.home / ".copilot").mkdir()
    assert copilot.detect(bare) == (program, machine.home / ".copilot")
