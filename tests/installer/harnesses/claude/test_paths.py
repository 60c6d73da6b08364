from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from runaway.installer.harnesses import claude
from runaway.installer.harnesses.base import Detected, Scope
from runaway.installer.harnesses.claude import paths
from runaway.installer.machine import Machine, scratch_machine
from tests.support.installer import install_claude

HOME, PROJECT = Path("/home/u"), Path("/code/project")


def at(**environ: str) -> Machine:
    return scratch_machine(HOME, environ)._replace(cwd=Path("/code"), root=Path("/"))


@pytest.mark.parametrize(
    ("scope", "file"),
    [
        ("user", HOME / ".claude/settings.json"),
        ("project", PROJECT / ".claude/settings.json"),
        ("local", PROJECT / ".claude/settings.local.json"),
    ],
)
def test_each_scope_has_its_file(scope: Scope, file: Path) -> None:
    assert paths.settings_file(at(), scope, PROJECT) == file


@pytest.mark.parametrize(
    ("value", "folder"),
    [
        ("/x/cfg", Path("/x/cfg")),
        ("cfg", Path("/code/cfg")),  # as Claude Code reads it
        ("~/cfg", Path("/code/~/cfg")),  # which takes a tilde literally
        ("", HOME / ".claude"),  # the doctor tells that Claude Code sees this otherwise
        ("  ", HOME / ".claude"),
    ],
)
def test_the_variable_moves_the_users_folder(value: str, folder: Path) -> None:
    machine = at(CLAUDE_CONFIG_DIR=value)
    assert paths.settings_file(machine, "user", PROJECT) == folder / "settings.json"
    assert paths.default_folder(machine) == HOME / ".claude"


def test_the_variable_does_not_move_a_projects_files() -> None:
    machine = at(CLAUDE_CONFIG_DIR="/x/cfg")
    assert paths.settings_file(machine, "project", PROJECT).is_relative_to(PROJECT)


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", "/etc/claude-code"),
        ("darwin", "/Library/Application Support/ClaudeCode"),
    ],
)
def test_the_organisations_folder_depends_on_the_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert paths.managed_folder(at()) == Path(folder)


def test_our_handler_is_for_every_tool_and_has_a_timeout_in_seconds() -> None:
    assert paths.handler("x") == {"type": "command", "command": "x", "timeout": 10}


def test_messages_name_the_file_with_a_tilde() -> None:
    assert paths.shape(at(), HOME / ".claude/settings.json").name == "~/.claude/settings.json"


def test_without_program_and_folder_it_is_not_on_the_machine(tmp_path: Path) -> None:
    assert claude.detect(scratch_machine(tmp_path, {"PATH": str(tmp_path)})) is None


def test_its_folder_or_its_program_gives_it_away(tmp_path: Path) -> None:
    machine = scratch_machine(tmp_path, {"PATH": str(tmp_path)})
    folder = tmp_path / ".claude"
    folder.mkdir()
    assert claude.detect(machine) == Detected(None, folder)
    folder.rmdir()
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert claude.detect(machine) == Detected(program, None)


def test_an_earlier_setup_may_have_left_an_entry_in_the_default_place() -> None:
    machine = at(CLAUDE_CONFIG_DIR="/x/cfg")
    assert claude.legacy_paths(machine) == (HOME / ".claude/settings.json",)


@pytest.mark.parametrize(
    ("version", "events"),
    [
        (None, ["PreToolUse"]),
        ("2.1.74", ["PreToolUse"]),  # drops a file for an event that it does not know
        ("2.1.136", ["PreToolUse"]),
        ("2.1.137", ["PreToolUse", "PostToolBatch"]),
        ("2.1.332", ["PreToolUse", "PostToolBatch"]),
        ("no version", ["PreToolUse"]),
    ],
)
def test_only_events_that_the_installed_release_knows_are_bound(
    machine: Machine, version: str | None, events: list[str]
) -> None:
    if version:
        install_claude(machine, version)
    assert list(paths.events(machine)) == events


def test_an_update_of_the_program_is_noticed(machine: Machine) -> None:
    program = install_claude(machine, "2.1.74")
    os.utime(program, (1, 1))
    assert paths.version(machine) == (2, 1, 74)
    install_claude(machine, "2.1.332")
    assert paths.version(machine) == (2, 1, 332)
