"""Setup on Grok Build's own file, and what the doctor says: whether it runs the guard, and why not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from runaway.installer.harnesses import grok
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.grok.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import codes, diagnose, levels, row, unwire, wire

GROK = ("grok",)
HEALTHY = [("installed.entry", "ok"), ("allowed.disabled", "ok"), ("trusted.consent", "ok")]
OUR_HOOK = "global/runaway:pre_tool_use[0].hooks[0]"


@pytest.fixture
def wired(machine: Machine) -> Machine:
    assert wire(machine, harnesses=GROK).exit_code == 0
    return machine


def hooks_file(machine: Machine) -> Path:
    return machine.home / ".grok/hooks/runaway.json"


def told(found: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.check, check.level) for check in found]


def troubles(machine: Machine) -> list[tuple[str, str]]:
    """What is not as in a healthy setup."""
    return [one for one in told(examine(machine, machine.home)) if one not in HEALTHY]


def test_setup_binds_both_events_and_uninstall_leaves_nothing(machine: Machine) -> None:
    assert row(wire(machine, harnesses=GROK))["action"] == "added"
    command = command_for(machine.launcher, "grok")
    group = [{"hooks": [{"type": "command", "command": command, "timeout": 10}]}]
    hooks = json.loads(hooks_file(machine).read_bytes())["hooks"]
    assert hooks == {"PreToolUse": group, "UserPromptSubmit": group}
    assert row(wire(machine, harnesses=GROK))["action"] == "unchanged"
    unwire(machine, harnesses=GROK)
    assert not (machine.home / ".grok").exists()


def test_grok_home_moves_the_file_and_the_doctor_tells_of_the_one_left(wired: Machine) -> None:
    moved = wired._replace(environ={**wired.environ, "GROK_HOME": str(wired.home / "g")})
    assert ("allowed.config-folder", "info") in troubles(moved)
    wire(moved, harnesses=GROK)
    assert (wired.home / "g/hooks/runaway.json").exists()
    unwire(moved, harnesses=GROK)
    assert not (wired.home / "g").exists()
    assert not hooks_file(wired).exists()


def test_a_healthy_setup_is_all_ok(wired: Machine) -> None:
    assert told(examine(wired, wired.home)) == HEALTHY
    assert levels(diagnose(wired, harnesses=GROK))["fires.command"] == "ok"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"timeout": 10', '"timeout": 5', ("installed.entry", "warning")),
        ("UserPromptSubmit", "Stop", ("installed.events", "warning")),
        ("PreToolUse", "PostToolUse", ("installed.events", "error")),
    ],
)
def test_an_entry_that_is_not_what_setup_writes(
    wired: Machine, old: str, new: str, expected: tuple[str, str]
) -> None:
    path = hooks_file(wired)
    path.write_text(path.read_text().replace(old, new, 1))
    assert expected in troubles(wired)


@pytest.mark.parametrize("name", ["requirements.toml", "managed_config.toml"])
@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("allow_managed_hooks_only = true", True),
        ('allowManagedHooksOnly = "no"', True),
        ("allow_managed_hooks_only = false", False),
        ("allow_managed_hooks_only", False),
    ],
)
def test_a_pin_to_the_hooks_of_an_organisation(
    wired: Machine, name: str, text: str, off: bool
) -> None:
    (wired.home / ".grok" / name).write_text(text)
    assert troubles(wired) == [("allowed.disabled", "error")] * off
    (wired.home / ".grok" / name).unlink()
    system = wired.root / "etc/grok" / name
    system.parent.mkdir(parents=True)
    system.write_text(text)
    assert troubles(wired) == [("allowed.managed", "error")] * off


def test_only_our_own_name_among_the_disabled_hooks_matters(wired: Machine) -> None:
    disabled = wired.home / ".grok/disabled-hooks"
    disabled.write_text("global/other:pre_tool_use[0].hooks[0]\n")
    assert troubles(wired) == []
    disabled.write_text(f"global/other:stop[0].hooks[0]\n{OUR_HOOK}")
    assert troubles(wired) == [("allowed.disabled", "error")]
    disabled.unlink()
    disabled.mkdir()
    assert troubles(wired) == []


def test_setup_refuses_a_file_that_grok_ignores(machine: Machine) -> None:
    path = hooks_file(machine)
    path.parent.mkdir(parents=True)
    path.write_text('{"hooks": {"Stop": [{}]}}')
    assert codes(wire(machine, harnesses=GROK)) == ["grok-ignores-file"]


def test_without_the_program_the_drill_says_so(wired: Machine) -> None:
    [check] = drill(grok, wired, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")
