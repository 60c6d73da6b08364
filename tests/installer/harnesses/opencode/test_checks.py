"""What the doctor says of OpenCode: what it loads, from where, and why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.session import Session
from runaway.installer.harnesses import opencode, plugin_file
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.opencode import paths, plugin
from runaway.installer.harnesses.opencode.checks import checks as examine
from runaway.installer.machine import Machine
from tests.support.installer import diagnose, levels, wire

USER = ".config/opencode/plugin/runaway.js"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def put(machine: Machine, file: Path, data: bytes | None = None) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(plugin.text(machine.launcher) if data is None else data)
    return file


def settle(folder: Path, lock: Any = None) -> None:
    """As OpenCode leaves it when npm has been there."""
    (folder / "node_modules").mkdir(parents=True)
    known = {"packages": {"": {"dependencies": {paths.LIBRARY: "1.18.33"}}}}
    (folder / "package-lock.json").write_text(json.dumps(known if lock is None else lock))


def checks(machine: Machine, project: Path) -> dict[str, Check]:
    return {check.check: check for check in examine(machine, project)}


def with_variables(machine: Machine, **variables: str) -> Machine:
    return machine._replace(environ={**machine.environ, **variables})


def test_a_healthy_setup_is_all_ok(machine: Machine, project: Path) -> None:
    put(machine, machine.home / USER)
    settle(machine.home / ".config/opencode")
    found = [(check.check, check.level) for check in examine(machine, project)]
    assert found == [
        ("installed.entry", "ok"),
        ("allowed.pure", "ok"),
        ("allowed.start", "ok"),
        ("trusted.consent", "ok"),
    ]


def test_the_command_is_run_as_it_stands_and_denies(machine: Machine) -> None:
    wire(machine, harnesses=("opencode",))
    assert levels(diagnose(machine, harnesses=("opencode",)))["fires.command"] == "ok"


def test_without_the_program_there_is_no_drill(machine: Machine) -> None:
    [check] = drill(opencode, machine, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")


FILES = {
    "none": (None, "in no folder"),
    "another launcher": (
        plugin.text(Path("/x/runaway/launch")),
        "not the plugin that setup writes",
    ),
    "another version": (plugin_file._signed(b"// older\n"), "not the plugin that setup writes"),
    "somebody else's": (b"export const Mine = 1\n", "somebody else's"),
}


@pytest.mark.parametrize(("data", "words"), FILES.values(), ids=FILES)
def test_anything_but_the_plugin_of_today_is_an_error(
    machine: Machine, project: Path, data: bytes | None, words: str
) -> None:
    if data is not None:
        put(machine, machine.home / USER, data)
    found = checks(machine, project)["installed.entry"]
    assert found.level == "error"
    assert words in found.message


def test_what_cannot_be_read_is_an_error(machine: Machine, project: Path) -> None:
    (machine.home / USER).mkdir(parents=True)
    assert "cannot be read" in checks(machine, project)["installed.entry"].message


SECOND = {
    "the other folder of plugins": "home/.config/opencode/plugins",
    "the folder in the home directory": "home/.opencode/plugin",
    "the project": "project/.opencode/plugin",
    "above the project": ".opencode/plugin",
    "a further folder": "further/plugin",
}


@pytest.mark.parametrize("folder", SECOND.values(), ids=SECOND)
def test_a_plugin_that_is_loaded_twice_is_told(
    machine: Machine, project: Path, folder: str
) -> None:
    name, _, rest = folder.partition("/")
    above = project.parent if name != "home" else machine.home
    put(machine, machine.home / USER)
    second = put(machine, above / (rest if name == "home" else folder) / plugin.FILE)
    further = with_variables(machine, OPENCODE_CONFIG_DIR=str(project.parent / "further"))
    found = checks(further, project)["installed.once"]
    assert found.level == "warning"
    assert "from 2 places" in found.message
    assert machine.tilde(second) in found.fix


def test_nothing_above_the_root_of_a_repository_is_read(machine: Machine, project: Path) -> None:
    (project / ".git").mkdir()
    put(machine, machine.home / USER)
    put(machine, project.parent / ".opencode/plugin" / plugin.FILE)
    assert "installed.once" not in checks(machine, project)


def test_a_project_that_is_switched_off_is_an_error(machine: Machine, project: Path) -> None:
    put(machine, project / ".opencode/plugin" / plugin.FILE)
    assert "allowed.project" not in checks(machine, project)
    off = with_variables(machine, OPENCODE_DISABLE_PROJECT_CONFIG="1")
    found = checks(off, project)
    assert (found["allowed.project"].level, found["installed.entry"].level) == ("error", "error")


@pytest.mark.parametrize(
    ("value", "level"),
    [("1", "error"), ("true", "error"), ("on", "error"), ("0", "ok"), ("false", "ok"), ("", "ok")],
)
def test_the_switch_in_the_environment(
    machine: Machine, project: Path, value: str, level: str
) -> None:
    found = checks(with_variables(machine, OPENCODE_PURE=value), project)["allowed.pure"]
    assert found.level == level


@pytest.mark.parametrize(
    ("script", "level"),
    [("#!/bin/sh\nexec opencode --pure \"$@\"\n", "warning"), ("#!/bin/sh\n", "ok")],
)  # fmt: skip
def test_a_wrapper_that_switches_plugins_off_is_told(
    machine: Machine, project: Path, script: str, level: str
) -> None:
    program = machine.home / "bin/opencode"
    program.parent.mkdir(exist_ok=True)
    program.write_text(script)
    program.chmod(0o755)
    assert checks(machine, project)["allowed.pure"].level == level


@pytest.mark.parametrize(
    "lock",
    [{}, [], {"packages": {}}, {"packages": {"": {"dependencies": {"other": "1"}}}}],
)
def test_a_start_that_will_wait_for_npm_is_told(machine: Machine, project: Path, lock: Any) -> None:
    folder = machine.home / ".config/opencode"
    settle(folder, lock)
    found = checks(machine, project)["allowed.start"]
    assert found.level == "info"
    assert "~/.config/opencode" in found.message


def test_each_folder_of_settings_counts_for_the_start(machine: Machine, project: Path) -> None:
    settle(machine.home / ".config/opencode")
    (project / ".opencode").mkdir()
    assert str(project / ".opencode") in checks(machine, project)["allowed.start"].message


@pytest.mark.parametrize(
    ("totals", "level", "words"),
    [([0.0], "info", "any of the last 1 sessions"), ([0.0, 1.5], "ok", "1 of the last 2 sessions")],
)
def test_whether_opencode_reckoned_a_cost(
    machine: Machine, project: Path, totals: list[float], level: str, words: str
) -> None:
    for number, total in enumerate(totals):
        one = Session(str(machine.state), "opencode", str(number))
        one.state = {
            "harness": "opencode",
            "session": str(number),
            "started": 1.0,
            "seen": 2.0,
            "spend": {"total": total},
        }
        one.save()
        one.close()
    found = checks(machine, project)["fires.spend"]
    assert found.level == level
    assert words in found.message
