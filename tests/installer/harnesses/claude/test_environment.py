from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.tampering import registered
from runaway.installer import launch_command, self_test
from runaway.installer.harnesses import claude
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.claude import paths
from runaway.installer.harnesses.claude.environment import harm
from runaway.installer.machine import Machine
from tests.support.installer import diagnose, levels, user_file, wire

GOOD = "/opt/tools:/usr/bin:/bin"
HARMS = {
    "a variable in front": ("$HOME/bin:/usr/bin:/bin", "$HOME/bin"),
    "the old value": ("/usr/bin:/bin:$PATH", "$PATH"),
    "a variable inside": ("/usr/bin:/bin:/opt/${TOOLS}", "/opt/${TOOLS}"),
    "a tilde": ("~/bin:/usr/bin:/bin", "~/bin"),
    "the current folder": (".:/usr/bin:/bin", "`.`"),
    "an empty entry": ("/usr/bin:/bin:", "`.`"),
    "nothing": ("", "`.`"),
    "a relative folder": ("node_modules/.bin:/usr/bin:/bin", "node_modules/.bin"),
    "no folder of the system": ("/opt/tools", "/usr/bin and /bin"),
}


@pytest.mark.parametrize(("path", "named"), HARMS.values(), ids=HARMS.keys())
def test_what_is_wrong_with_a_search_path_is_named(path: str, named: str) -> None:
    assert named in harm(path)


@pytest.mark.parametrize("path", [GOOD, "/usr/bin:/bin", "/home/u/with blank:/bin:/usr/bin"])
def test_a_search_path_that_leads_to_the_system_is_harmless(path: str) -> None:
    assert harm(path) == ""


def write(path: Path, settings: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(path.read_bytes()) if path.exists() else {}
    path.write_text(json.dumps(known | settings))
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


def files(machine: Machine, project: Path) -> dict[str, Path]:
    """Scope -> settings file, of rising precedence."""
    return {
        "user": machine.home / ".claude/settings.json",
        **{scope: project / name for scope, name in paths.IN_PROJECT.items()},
        "managed": paths.managed_folder(machine) / "managed-settings.json",
    }


def told(machine: Machine, project: Path) -> list[Check]:
    return [check for check in claude.checks(machine, project) if check.check == "allowed.path"]


@pytest.mark.parametrize("scope", ["user", "project", "local", "managed"])
def test_the_doctor_names_file_and_key_and_the_guard_denies_all_the_same(
    wired: Machine, project: Path, scope: str
) -> None:
    file = write(files(wired, project)[scope], {"env": {"PATH": "$HOME/bin:$PATH"}})
    [check] = told(wired, project)
    assert check.level == "warning"
    assert "`env.PATH`" in check.message
    assert wired.tilde(file) in check.message
    found = diagnose(wired, project=project)
    assert levels(found)["fires.command"] == "ok"
    assert found.exit_code == 0


def test_the_file_of_highest_precedence_decides(wired: Machine, project: Path) -> None:
    for scope, file in files(wired, project).items():
        write(file, {"env": {"PATH": GOOD if scope == "managed" else "$HOME/bin"}})
    assert told(wired, project) == []
    assert claude.hook_environment(wired, project)["PATH"] == GOOD


def test_variables_of_several_files_are_joined(wired: Machine, project: Path) -> None:
    places_of = files(wired, project)
    write(places_of["user"], {"env": {"A": "1", "B": "1", "PATH": GOOD}})
    write(places_of["managed"], {"env": {"B": "2"}})
    assert claude.hook_environment(wired, project) == {"A": "1", "B": "2", "PATH": GOOD}


@pytest.mark.parametrize("scope", ["project", "local"])
def test_a_project_has_no_say_in_what_the_doctor_loads(
    wired: Machine, project: Path, scope: str
) -> None:
    block = {"LD_PRELOAD": "./evil.so", "PYTHONHOME": "/x", "PATH": GOOD}
    write(files(wired, project)[scope], {"env": block})
    assert claude.hook_environment(wired, project) == {"PATH": GOOD}


@pytest.mark.parametrize(
    "block", [None, [], "PATH", {"PATH": None}, {"PATH": 5}, {"A\0": "x", "B": "\0", "C": "\ud800"}]
)
def test_what_no_program_can_be_given_is_passed_over(
    wired: Machine, project: Path, block: object
) -> None:
    write(files(wired, project)["user"], {"env": block})
    assert claude.hook_environment(wired, project) == {}
    assert levels(diagnose(wired, project=project))["fires.command"] == "ok"


def test_a_file_that_is_dropped_adds_nothing(wired: Machine, project: Path) -> None:
    broken = {"env": {"PATH": "$PATH"}, "hooks": {"PreToolUse": [{"hooks": 5}]}}
    write(files(wired, project)["project"], broken)
    assert told(wired, project) == []
    assert claude.hook_environment(wired, project) == {}


def test_a_planted_shell_is_not_run_by_the_doctor(wired: Machine, project: Path) -> None:
    planted = project / "bin/sh"
    planted.parent.mkdir(parents=True)
    planted.write_text(f"#!/bin/sh\necho x >>'{project}/ran'\n")
    planted.chmod(0o755)
    write(files(wired, project)["project"], {"env": {"PATH": f"{planted.parent}:/usr/bin:/bin"}})
    [check] = [
        one for one in self_test.checks(wired, claude, project) if one.check == "fires.command"
    ]
    assert check.level == "ok"
    assert not (project / "ran").exists()


def test_an_entry_of_the_earlier_form_under_such_a_search_path_is_an_error(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, project: Path
) -> None:
    """It names its shell without a folder: exit code 127, and the call runs."""
    with monkeypatch.context() as earlier:
        earlier.setattr(launch_command, "TODAY", registered.EARLIER[0])
        wire(machine)
    write(user_file(machine), {"env": {"PATH": "$HOME/bin:$PATH"}})
    found = diagnose(machine, project=project)
    assert levels(found)["installed.entry"] == "error"
    assert "env.PATH" in next(m.text for m in found.messages if m.code == "installed.entry")
    wire(machine)
    assert levels(diagnose(machine, project=project))["installed.entry"] == "ok"
