"""Setup and uninstall on settings.json, and what makes Droid run none of its hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.documents import json_document
from runaway.installer.documents.values import name_of
from runaway.installer.harnesses import droid
from runaway.installer.harnesses.droid.validation import RULES, problems
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.installer.harnesses.droid.tables import DROPPED, LOADED, REFUSED
from tests.support.installer import codes, row, unwire, wire

DROID = ("droid",)


@pytest.fixture
def file(machine: Machine) -> Path:
    path = machine.home / ".factory/settings.json"
    path.parent.mkdir()
    return path


def test_a_new_file_has_one_group(machine: Machine) -> None:
    assert row(wire(machine, harnesses=DROID))["action"] == "added"
    path = machine.home / ".factory/settings.json"
    command = command_for(machine.launcher, "droid")
    entry = {"type": "command", "command": command, "timeout": 10}
    assert json.loads(path.read_bytes()) == {"hooks": {"PreToolUse": [{"hooks": [entry]}]}}


@pytest.mark.parametrize("text", LOADED.values(), ids=LOADED)
def test_what_droid_loads_is_wired_and_given_back(machine: Machine, file: Path, text: str) -> None:
    file.write_text(text)
    assert row(wire(machine, harnesses=DROID))["action"] == "added"
    unwire(machine, harnesses=DROID)
    assert file.read_text() == text


@pytest.mark.parametrize(("text", "place"), DROPPED.values(), ids=DROPPED)
def test_what_droid_drops_is_refused_with_the_place(
    machine: Machine, file: Path, text: str, place: str
) -> None:
    [fault] = problems(json_document.parse(text.encode(), RULES, "x"))
    assert name_of(fault.path) == place
    file.write_text(text)
    result = wire(machine, harnesses=DROID)
    assert codes(result) == ["droid-drops-hooks"]
    assert f"{place} at " in result.messages[0].text
    assert file.read_text() == text


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED)
def test_what_droid_cannot_parse_is_refused(
    machine: Machine, file: Path, text: str, code: str
) -> None:
    file.write_text(text)
    assert codes(wire(machine, harnesses=DROID)) == [code]
    assert file.read_text() == text


OUTRANKS = {
    "a hook": ('{"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}', True),
    "an empty event": ('{"PreToolUse": []}', True),
    "another event": ('{"Stop": [{"hooks": []}]}', False),
    "the switch": ('{"hooksDisabled": true}', False),
    "nothing": ("{}", False),
    "events in `hooks`": ('{"hooks": {"PreToolUse": []}}', False),
    "a broken file": ("{", False),
    "a broken hook": ('{"PreToolUse": [], "Stop": "x"}', False),
}


@pytest.mark.parametrize(("text", "outranks"), OUTRANKS.values(), ids=OUTRANKS)
def test_a_hooks_json_that_droid_takes_instead_is_told(
    machine: Machine, file: Path, text: str, outranks: bool
) -> None:
    file.with_name("hooks.json").write_text(text)
    result = wire(machine, harnesses=DROID)
    assert ("droid-other-file" in codes(result)) is outranks
    assert file.exists() is not outranks
    assert file.with_name("hooks.json").read_text() == text


def test_a_variable_moves_the_folder_and_uninstall_finds_what_was_before(
    machine: Machine, tmp_path: Path
) -> None:
    wire(machine, harnesses=DROID)
    environ = {**machine.environ, "FACTORY_HOME_OVERRIDE": str(tmp_path / "moved")}
    moved = machine._replace(environ=environ)
    assert row(wire(moved, harnesses=DROID))["action"] == "added"
    assert (tmp_path / "moved/.factory/settings.json").exists()
    unwire(moved, harnesses=DROID)
    assert not (tmp_path / "moved/.factory/settings.json").exists()
    assert not (machine.home / ".factory").exists()


def test_there_is_only_the_scope_of_the_user() -> None:
    assert droid.SCOPES == ("user",)


def test_droid_is_found_by_its_program_or_its_folder(machine: Machine) -> None:
    bare = machine._replace(environ={"PATH": str(machine.home / "bin")})
    assert droid.detect(bare) is None
    (machine.home / "bin").mkdir()
    program = machine.home / "bin/droid"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (machine.home / ".factory").mkdir()
    assert droid.detect(bare) == (program, machine.home / ".factory")
