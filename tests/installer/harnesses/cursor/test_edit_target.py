"""Setup and uninstall on hooks.json: what it becomes, byte for byte, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import cursor
from runaway.installer.harnesses.cursor import paths
from runaway.installer.launch_command import command_for, parse
from runaway.installer.machine import Machine
from tests.installer.harnesses.cursor.tables import IGNORED, REFUSED
from tests.support.installer import codes, row, unwire, wire

CURSOR = ("cursor",)


@pytest.fixture
def file(machine: Machine) -> Path:
    path = machine.home / ".cursor/hooks.json"
    path.parent.mkdir()
    return path


def hooks(path: Path) -> dict[str, Any]:
    document = json.loads(path.read_bytes())
    assert document["version"] == 1
    found = document["hooks"]
    assert isinstance(found, dict)
    return found


def test_a_new_file_has_the_version_and_one_entry_per_event(machine: Machine) -> None:
    assert row(wire(machine, harnesses=CURSOR))["action"] == "added"
    path = machine.home / ".cursor/hooks.json"
    entry = {"command": command_for(machine.launcher, "claude"), "timeout": 10}
    assert hooks(path) == {event: [entry] for event in paths.EVENTS}
    assert list(json.loads(path.read_bytes())) == ["version", "hooks"]


def test_the_command_is_the_one_that_stands_in_claude_codes_file(machine: Machine) -> None:
    """Cursor drops the double of a hook by nothing else."""
    wire(machine, harnesses=("claude", "cursor"))
    claude = json.loads((machine.home / ".claude/settings.json").read_bytes())
    own = hooks(machine.home / ".cursor/hooks.json")
    [group] = claude["hooks"]["PreToolUse"]
    assert group["hooks"][0]["command"] == own["preToolUse"][0]["command"]


def test_the_command_holds_nothing_that_cursor_takes_for_a_comment(machine: Machine) -> None:
    registered = command_for(machine.launcher, paths.LAUNCHER_ARGUMENT)
    assert parse(registered) is not None
    assert "//" not in registered
    assert "/*" not in registered


def test_a_second_setup_changes_nothing(machine: Machine) -> None:
    wire(machine, harnesses=CURSOR)
    assert row(wire(machine, harnesses=CURSOR))["action"] == "unchanged"


ROUND_TRIPS = {
    "blank": b"",
    "an object": b"{}",
    "a version": b'{"version": 1}\n',
    "tabs and no version": b'{\n\t"hooks": {}\n}',
    "empty hooks": b'{\n  "version": 1,\n  "hooks": {}\n}\n',
    "comments and a hook": (
        b'// mine\n{"version": 1, "hooks": {"stop": [{"command": "x"}] /* y */}}\r\n'
    ),
    "a hook for the same event": (
        b'{\n    "hooks": {\n        "preToolUse": [\n            { "command": "x", "matcher": "S" }\n'
        b'        ]\n    },\n    "version": 1\n}\n'
    ),
}


@pytest.mark.parametrize("before", ROUND_TRIPS.values(), ids=ROUND_TRIPS)
def test_uninstall_gives_every_byte_back(machine: Machine, file: Path, before: bytes) -> None:
    file.write_bytes(before)
    assert row(wire(machine, harnesses=CURSOR))["action"] == "added"
    assert set(paths.EVENTS) <= set(hooks_with_comments(file))
    unwire(machine, harnesses=CURSOR)
    assert file.read_bytes() == before


def hooks_with_comments(path: Path) -> dict[str, Any]:
    text = path.read_text().replace("// mine", "").replace("/* y */", "")
    found = json.loads(text)["hooks"]
    assert isinstance(found, dict)
    return found


def test_a_file_that_setup_made_goes_with_its_folder(machine: Machine) -> None:
    wire(machine, harnesses=CURSOR)
    unwire(machine, harnesses=CURSOR)
    assert not (machine.home / ".cursor").exists()


def test_the_version_stays_while_somebody_elses_hooks_need_it(machine: Machine, file: Path) -> None:
    file.write_bytes(b"{}")
    wire(machine, harnesses=CURSOR)
    document = json.loads(file.read_bytes())
    document["hooks"]["stop"].append({"command": "x"})
    file.write_text(json.dumps(document))
    unwire(machine, harnesses=CURSOR)
    assert hooks(file) == {"stop": [{"command": "x"}]}


def test_an_entry_with_another_timeout_is_renewed_in_its_place(
    machine: Machine, file: Path
) -> None:
    wire(machine, harnesses=CURSOR)
    good = file.read_bytes()
    file.write_bytes(good.replace(b'"timeout": 10', b'"timeout": 60', 1))
    assert row(wire(machine, harnesses=CURSOR))["action"] == "updated"
    assert file.read_bytes() == good


def test_the_same_command_for_one_tool_only_is_the_users_own(machine: Machine, file: Path) -> None:
    theirs = {"command": command_for(machine.launcher, "claude"), "matcher": "Shell"}
    file.write_text(json.dumps({"version": 1, "hooks": {"preToolUse": [theirs]}}))
    wire(machine, harnesses=CURSOR)
    assert hooks(file)["preToolUse"][0] == theirs
    unwire(machine, harnesses=CURSOR)
    assert hooks(file) == {"preToolUse": [theirs]}


@pytest.mark.parametrize(("text", "place"), IGNORED.values(), ids=IGNORED)
def test_a_file_that_cursor_ignores_is_refused_with_the_place(
    machine: Machine, file: Path, text: str, place: str
) -> None:
    file.write_text(text)
    result = wire(machine, harnesses=CURSOR)
    assert result.exit_code == 1
    assert codes(result) == ["cursor-ignores-file"]
    assert place in result.messages[0].text
    assert file.read_text() == text


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cursor_cannot_parse_is_refused(
    machine: Machine, file: Path, text: str, code: str
) -> None:
    file.write_text(text)
    assert codes(wire(machine, harnesses=CURSOR)) == [code]
    assert file.read_text() == text


def test_in_a_project_the_entry_goes_below_it(machine: Machine, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    wire(machine, harnesses=CURSOR, scope="project", project=project)
    assert set(hooks(project / ".cursor/hooks.json")) == set(paths.EVENTS)


@pytest.mark.parametrize("link", [".cursor", ".cursor/hooks.json"])
def test_a_link_in_a_project_is_refused_because_cursor_does_not_follow_it(
    machine: Machine, tmp_path: Path, link: str
) -> None:
    project, real = tmp_path / "project", tmp_path / "real"
    (real / "hooks").mkdir(parents=True)
    (real / "hooks/hooks.json").write_text("{}")
    path = project / link
    path.parent.mkdir(parents=True)
    path.symlink_to(real / "hooks" / ("hooks.json" if link.endswith("json") else ""))
    result = wire(machine, harnesses=CURSOR, scope="project", project=project)
    assert codes(result) == ["cursor-ignores-link"]


def test_a_link_in_the_home_is_followed(machine: Machine, file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    file.symlink_to(real)
    wire(machine, harnesses=CURSOR)
    assert set(hooks(real)) == set(paths.EVENTS)


def test_there_is_no_local_scope(machine: Machine) -> None:
    assert "local" not in cursor.SCOPES


@pytest.mark.parametrize("program", ["cursor-agent", "cursor"])
def test_cursor_is_found_by_its_program_or_its_folder(machine: Machine, program: str) -> None:
    bare = machine._replace(environ={"PATH": str(machine.home / "bin")})
    assert cursor.detect(bare) is None
    (machine.home / "bin").mkdir()
    (machine.home / "bin" / program).write_text("#!/bin/sh\n")
    (machine.home / "bin" / program).chmod(0o755)
    found = cursor.detect(bare)
    assert found is not None
    assert found.program == machine.home / "bin" / program
    (machine.home / ".cursor").mkdir()
    with_folder = cursor.detect(bare)
    assert with_folder is not None
    assert with_folder.folder == machine.home / ".cursor"
