"""Everything that keeps the real program from running our hook, as measured, and what does not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.claude import load, paths
from runaway.installer.harnesses.claude.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import entry, hooks, install_claude, registered, user_file

PROJECT_FILE, LOCAL_FILE = ".claude/settings.json", ".claude/settings.local.json"
MANAGED, DROP_IN = "managed-settings.json", "managed-settings.d/10-policy.json"


@pytest.fixture
def guarded(machine: Machine) -> Machine:
    """A user file with our entry; nothing else on the machine."""
    user_file(machine, hooks(entry(machine)))
    return machine


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".claude").mkdir(parents=True)
    return folder


def checks(machine: Machine, project: Path) -> list[Check]:
    """But for the warning that there is no Claude Code on this machine."""
    return [one for one in examine(machine, project) if one.check != "installed.client"]


def errors(found: Iterable[Check]) -> list[str]:
    return [check.check for check in found if check.level == "error"]


def beside(machine: Machine, settings: dict[str, Any]) -> None:
    """Our entry and these settings in the user's file."""
    user_file(machine, json.dumps(settings | json.loads(hooks(entry(machine)))).encode())


def managed(machine: Machine, name: str, settings: object) -> Path:
    path = paths.managed_folder(machine) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
    return path


def test_a_healthy_setup_is_all_ok(guarded: Machine, project: Path) -> None:
    found = checks(guarded, project)
    assert {check.level for check in found} == {"ok"}
    assert [check.check for check in found] == [
        "installed.entry",
        "allowed.disabled",
        "trusted.consent",
    ]
    assert {check.harness for check in found} == {"claude"}


# -- kill switches

USER_SWITCHES: dict[str, tuple[dict[str, Any], str]] = {
    "disableAllHooks": ({"disableAllHooks": True}, "allowed.disabled"),
    "bare mode": ({"env": {"CLAUDE_CODE_SIMPLE": "1"}}, "allowed.environment"),
    "bare mode by a number": ({"env": {"CLAUDE_CODE_SIMPLE": 1}}, "allowed.environment"),
    "safe mode": ({"env": {"CLAUDE_CODE_SAFE_MODE": "true"}}, "allowed.environment"),
    "a stranger's invalid handler": ({"cleanupPeriodDays": 0}, "allowed.file"),
}


@pytest.mark.parametrize(("settings", "check"), USER_SWITCHES.values(), ids=USER_SWITCHES.keys())
def test_a_switch_in_the_users_file_is_an_error(
    machine: Machine, project: Path, settings: dict[str, Any], check: str
) -> None:
    beside(machine, settings)
    found = checks(machine, project)
    assert errors(found) == [check]
    assert all(one.fix for one in found if one.level == "error")


@pytest.mark.parametrize("name", [PROJECT_FILE, LOCAL_FILE])
def test_a_project_can_switch_the_hooks_off(guarded: Machine, project: Path, name: str) -> None:
    (project / name).write_text('{"disableAllHooks": true}')
    [error] = [check for check in checks(guarded, project) if check.level == "error"]
    assert error.check == "allowed.disabled"
    assert name in error.message


@pytest.mark.parametrize(
    ("user", "shared", "local", "disabled"),
    [
        (True, False, None, False),
        (True, None, False, False),
        (False, True, None, True),
        (None, True, False, False),
        (None, False, True, True),
        (True, None, None, True),
    ],
)
def test_the_file_of_highest_precedence_that_speaks_decides(
    machine: Machine,
    project: Path,
    user: bool | None,
    shared: bool | None,
    local: bool | None,
    disabled: bool,
) -> None:
    beside(machine, {} if user is None else {"disableAllHooks": user})
    for name, value in ((PROJECT_FILE, shared), (LOCAL_FILE, local)):
        if value is not None:
            (project / name).write_text(json.dumps({"disableAllHooks": value}))
    assert errors(checks(machine, project)) == ["allowed.disabled"] * disabled


MANAGED_SWITCHES: dict[str, Any] = {
    "disableAllHooks": {"disableAllHooks": True},
    "allowManagedHooksOnly": {"allowManagedHooksOnly": True},
    "only plugins' hooks": {"strictPluginOnlyCustomization": ["skills", "hooks"]},
    "only plugins": {"strictPluginOnlyCustomization": True},
}


@pytest.mark.parametrize("name", [MANAGED, DROP_IN])
@pytest.mark.parametrize("settings", MANAGED_SWITCHES.values(), ids=MANAGED_SWITCHES.keys())
def test_a_switch_of_the_organisation_is_an_error(
    guarded: Machine, project: Path, name: str, settings: Any
) -> None:
    path = managed(guarded, name, settings)
    [error] = [check for check in checks(guarded, project) if check.level == "error"]
    assert error.check == "allowed.managed"
    assert str(path) in error.message


@pytest.mark.parametrize("text", ["{", '{"a": 1,}', "// note\n{}", "[]"])
def test_a_broken_file_of_the_organisation_keeps_the_program_from_starting(
    guarded: Machine, project: Path, text: str
) -> None:
    managed(guarded, MANAGED, text)
    [error] = [check for check in checks(guarded, project) if check.level == "error"]
    assert "refuses to start" in error.message


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"])
def test_a_switch_in_the_environment_is_an_error(
    guarded: Machine, project: Path, name: str
) -> None:
    machine = guarded._replace(environ={**guarded.environ, name: "1"})
    assert errors(checks(machine, project)) == ["allowed.environment"]


def test_an_empty_config_variable_is_an_error(guarded: Machine, project: Path) -> None:
    """The program then reads the current folder, and setup writes to ~/.claude."""
    machine = guarded._replace(environ={**guarded.environ, "CLAUDE_CONFIG_DIR": ""})
    assert errors(checks(machine, project)) == ["allowed.config-folder"]


HARMLESS_USER: dict[str, dict[str, Any]] = {
    "hooks not disabled": {"disableAllHooks": False},
    "a managed switch in the user's file": {"allowManagedHooksOnly": True},
    "an empty variable": {"env": {"CLAUDE_CODE_SIMPLE": ""}},
    "a variable of 0": {"env": {"CLAUDE_CODE_SIMPLE": "0"}},
    "other variables": {"env": {"PATH": "/x", "DEBUG": "1"}},
    "an env of a wrong type": {"env": ["CLAUDE_CODE_SIMPLE"]},
}


@pytest.mark.parametrize("settings", HARMLESS_USER.values(), ids=HARMLESS_USER.keys())
def test_what_switches_nothing_off_is_not_reported(
    machine: Machine, project: Path, settings: dict[str, Any]
) -> None:
    beside(machine, settings)
    assert errors(checks(machine, project)) == []


def test_a_projects_variables_switch_nothing_off(guarded: Machine, project: Path) -> None:
    (project / PROJECT_FILE).write_text('{"env": {"CLAUDE_CODE_SIMPLE": "1"}}')
    assert errors(checks(guarded, project)) == []


@pytest.mark.parametrize(
    "settings", [{}, {"disableAllHooks": False}, {"strictPluginOnlyCustomization": ["skills"]}]
)
def test_an_organisation_that_allows_hooks_is_not_reported(
    guarded: Machine, project: Path, settings: Any
) -> None:
    managed(guarded, MANAGED, settings)
    assert errors(checks(guarded, project)) == []


# -- files that are dropped as a whole

BROKEN = {
    "a comment": (b'{\n  // note\n  "a": 1\n}', "comment at 2:3"),
    "a trailing comma": (b'{"a": 1,}', "trailing comma at 1:8"),
    "cut off": (b'{"hooks": {"PreToolUse"', "at 1:"),
    "a flat entry": (
        b'{"hooks": {"PreToolUse": [\n {"type": "command", "command": "x"}\n]}}',
        "hooks.PreToolUse[0] at 2:2",
    ),
    "no text": (b'{"a": "\xff"}', "not UTF-8"),
}


@pytest.mark.parametrize(("data", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_user_file_is_an_error_with_place_and_reason(
    machine: Machine, project: Path, data: bytes, reason: str
) -> None:
    user_file(machine, data)
    found = {check.check: check for check in checks(machine, project)}
    assert found["allowed.file"].level == "error"
    assert "ignores the whole file ~/.claude/settings.json" in found["allowed.file"].message
    assert reason in found["allowed.file"].message


def test_a_broken_project_file_is_a_warning_because_the_users_hooks_still_run(
    guarded: Machine, project: Path
) -> None:
    (project / PROJECT_FILE).write_text("{")
    found = {check.check: check.level for check in checks(guarded, project)}
    assert found["allowed.file"] == "warning"
    assert found["installed.entry"] == "ok"


def test_a_broken_project_file_that_holds_the_guard_is_an_error(
    guarded: Machine, project: Path
) -> None:
    (project / PROJECT_FILE).write_bytes(hooks(entry(guarded)) + b"// note\n")
    assert errors(checks(guarded, project)) == ["allowed.file"]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["a folder", "a FIFO"])
def test_what_is_no_file_is_told_and_not_waited_for(
    guarded: Machine, project: Path, make: Callable[[Path], None]
) -> None:
    make(project / PROJECT_FILE)
    [warning] = [check for check in checks(guarded, project) if check.level == "warning"]
    assert "cannot be read" in warning.message


@pytest.mark.parametrize("data", [b"", b" \n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_blank_file_holds_no_settings_and_no_fault(
    guarded: Machine, project: Path, data: bytes
) -> None:
    (project / PROJECT_FILE).write_bytes(data)
    assert {check.level for check in checks(guarded, project)} == {"ok"}


# -- the entry


def entries_of(machine: Machine, project: Path) -> list[tuple[str, str]]:
    found = checks(machine, project)
    return [(one.check, one.level) for one in found if one.check.startswith("installed.")]


def test_without_an_entry_anywhere_the_guard_is_not_installed(
    machine: Machine, project: Path
) -> None:
    assert entries_of(machine, project) == [("installed.entry", "error")]


@pytest.mark.parametrize("name", [PROJECT_FILE, LOCAL_FILE])
def test_an_entry_in_a_project_counts_there(machine: Machine, project: Path, name: str) -> None:
    (project / name).write_bytes(hooks(entry(machine)))
    assert entries_of(machine, project) == [("installed.entry", "ok")]
    assert entries_of(machine, machine.home) == [("installed.entry", "error")]


def test_in_two_files_it_is_no_fault_because_equal_hooks_run_once(
    guarded: Machine, project: Path
) -> None:
    (project / PROJECT_FILE).write_bytes(hooks(entry(guarded)))
    assert entries_of(guarded, project) == [("installed.entry", "ok")] * 2


def test_twice_in_one_file_is_a_warning(machine: Machine, project: Path) -> None:
    user_file(machine, hooks(entry(machine), entry(machine)))
    assert ("installed.once", "warning") in entries_of(machine, project)


@pytest.mark.parametrize("change", [{"timeout": 5}, {"timeout": 600}])
def test_another_timeout_is_a_warning(
    machine: Machine, project: Path, change: dict[str, Any]
) -> None:
    user_file(machine, hooks(entry(machine, **change)))
    assert entries_of(machine, project) == [("installed.entry", "warning")]


@pytest.mark.parametrize(
    "change",
    [
        {"async": True},  # it could not decide
        {"shell": "powershell"},
        {"if": "Bash(rm *)"},
        {"args": ["x"]},
        {"command": command_for(Path("/old/runaway/launch"), "claude")},
    ],
    ids=["async", "shell", "if", "args", "another launcher"],
)
def test_an_entry_that_would_not_guard_is_an_error(
    machine: Machine, project: Path, change: dict[str, Any]
) -> None:
    user_file(machine, hooks(entry(machine, **change)))
    assert entries_of(machine, project) == [("installed.entry", "error")]


def test_a_command_that_only_looks_like_ours_is_no_entry(machine: Machine, project: Path) -> None:
    user_file(machine, hooks(entry(machine, command=f"log {registered(machine)!r}")))
    assert entries_of(machine, project) == [("installed.entry", "error")]


def test_an_event_that_a_newer_release_offers_is_pointed_out(
    guarded: Machine, project: Path
) -> None:
    install_claude(guarded, "2.1.332")
    assert ("installed.events", "info") in entries_of(guarded, project)


def test_when_home_is_the_project_each_file_is_looked_at_once(guarded: Machine) -> None:
    assert entries_of(guarded, guarded.home) == [("installed.entry", "ok")]
    files = load.all_settings(guarded, guarded.home)
    assert [one.scope for one in files] == ["user", "local"]


def test_an_entry_that_a_moved_config_folder_hides_is_pointed_out(
    guarded: Machine, project: Path, tmp_path: Path
) -> None:
    environ = {**guarded.environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "moved")}
    machine = guarded._replace(environ=environ)
    found = {check.check: check.level for check in checks(machine, project)}
    assert found["installed.entry"] == "error"
    assert found["allowed.config-folder"] == "info"
