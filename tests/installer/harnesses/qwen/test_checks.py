"""Setup on Qwen Code's settings, and what the doctor says: whether it runs the guard, and why not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import qwen
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.qwen.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import codes, diagnose, levels, row, unwire, wire

QWEN = ("qwen",)
HEALTHY = [("installed.entry", "ok"), ("allowed.disabled", "ok"), ("trusted.consent", "ok")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def wired(machine: Machine) -> Machine:
    assert wire(machine, harnesses=QWEN).exit_code == 0
    return machine


def settings(machine: Machine) -> Path:
    return machine.home / ".qwen/settings.json"


def change(machine: Machine, **changes: Any) -> None:
    path = settings(machine)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


def in_project(project: Path, text: str) -> None:
    path = project / ".qwen/settings.json"
    path.parent.mkdir()
    path.write_text(text)


def told(found: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.check, check.level) for check in found]


def troubles(machine: Machine, project: Path) -> list[tuple[str, str]]:
    """What is not as in a healthy setup."""
    return [one for one in told(examine(machine, project)) if one not in HEALTHY]


def test_setup_binds_both_events(machine: Machine) -> None:
    assert row(wire(machine, harnesses=QWEN))["action"] == "added"
    command = command_for(machine.launcher, "qwen")
    handler = {"type": "command", "name": "runaway", "command": command, "timeout": 10_000}
    group = [{"hooks": [handler]}]
    hooks = json.loads(settings(machine).read_bytes())["hooks"]
    assert hooks == {"PreToolUse": group, "UserPromptSubmit": group}
    assert row(wire(machine, harnesses=QWEN))["action"] == "unchanged"


def test_qwen_home_moves_the_file_and_the_doctor_tells_of_the_one_left(
    wired: Machine, project: Path
) -> None:
    moved = wired._replace(environ={**wired.environ, "QWEN_HOME": str(wired.home / "q")})
    assert ("allowed.config-folder", "info") in troubles(moved, project)
    wire(moved, harnesses=QWEN)
    assert (wired.home / "q/settings.json").exists()
    unwire(moved, harnesses=QWEN)
    assert not (wired.home / "q").exists()
    assert not settings(wired).exists()


def test_a_healthy_setup_is_all_ok(wired: Machine, project: Path) -> None:
    assert told(examine(wired, project)) == HEALTHY
    assert levels(diagnose(wired, harnesses=QWEN))["fires.command"] == "ok"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"timeout": 10000', '"timeout": 10', ("installed.entry", "error")),
        ('"name": "runaway",', "", ("installed.entry", "warning")),
        ("UserPromptSubmit", "Stop", ("installed.events", "warning")),
        ("PreToolUse", "PostToolUse", ("installed.events", "error")),
    ],
)
def test_an_entry_that_is_not_what_setup_writes(
    wired: Machine, project: Path, old: str, new: str, expected: tuple[str, str]
) -> None:
    path = settings(wired)
    path.write_text(path.read_text().replace(old, new, 1))
    assert expected in troubles(wired, project)


def test_an_entry_that_stands_twice_or_nowhere_is_told(wired: Machine, project: Path) -> None:
    hooks = json.loads(settings(wired).read_bytes())["hooks"]
    change(wired, hooks={**hooks, "PreToolUse": hooks["PreToolUse"] * 2})
    assert troubles(wired, project) == [("installed.once", "warning")]
    settings(wired).unlink()
    assert troubles(wired, project) == [("installed.entry", "error")]


@pytest.mark.parametrize(
    ("value", "off"),
    [(True, True), ("false", True), (1, True), ([], True), (False, False), (0, False), ("", False),
     (None, False)],
)  # fmt: skip
def test_hooks_that_are_switched_off(
    wired: Machine, project: Path, value: object, off: bool
) -> None:
    change(wired, disableAllHooks=value)
    assert troubles(wired, project) == [("allowed.disabled", "error")] * off


def test_the_project_outranks_the_user_and_the_machine_both(wired: Machine, project: Path) -> None:
    change(wired, disableAllHooks=True)
    in_project(project, '{"disableAllHooks": false}')
    assert troubles(wired, project) == []
    system = wired.root / "etc/qwen-code/settings.json"
    system.parent.mkdir(parents=True)
    system.write_text('{"disableAllHooks": true}')
    assert troubles(wired, project) == [("allowed.managed", "error")]


@pytest.mark.parametrize("text", ["{,}", "", "[]", '{"hooks": []}'])
def test_a_file_with_which_it_does_not_run_the_guard(
    wired: Machine, project: Path, text: str
) -> None:
    settings(wired).write_text(text)
    assert ("allowed.file", "error") in troubles(wired, project)


def test_a_project_whose_hooks_are_null_silences_nothing(wired: Machine, project: Path) -> None:
    in_project(project, '{"hooks": null}')
    assert troubles(wired, project) == []


def test_setup_refuses_what_silences_hooks(machine: Machine) -> None:
    path = settings(machine)
    path.parent.mkdir()
    path.write_text('{"hooks": []}')
    assert codes(wire(machine, harnesses=QWEN)) == ["qwen-silences-hooks"]


def test_without_the_program_the_drill_says_so(wired: Machine) -> None:
    [check] = drill(qwen, wired, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")


@pytest.mark.parametrize("answer", [b"", b"{}", b"[]", b"null", b"x", b'{"decision": "block"}'])
def test_only_a_denial_is_one(answer: bytes) -> None:
    assert not qwen.is_denial(answer)
    assert qwen.is_denial(b'{"hookSpecificOutput": {"permissionDecision": "deny"}}')
