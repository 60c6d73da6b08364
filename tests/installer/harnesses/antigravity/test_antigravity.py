"""Antigravity's hooks.json: before and after, what is refused, and what the doctor says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses.antigravity.checks import checks as examine
from runaway.installer.harnesses.base import Check
from runaway.installer.machine import Machine
from tests.support.installer import codes, row, unwire, wire

CHOSEN = ("antigravity",)


def put(machine: Machine, contents: Any) -> Path:
    path = machine.home / ".gemini/config/hooks.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(contents if isinstance(contents, str) else json.dumps(contents, indent=2))
    return path


def checks(machine: Machine) -> dict[str, Check]:
    return {check.check: check for check in examine(machine, machine.cwd)}


def test_a_call_is_bound_in_a_group_and_the_end_of_a_response_without(machine: Machine) -> None:
    wire(machine, harnesses=CHOSEN)
    hooks = json.loads((machine.home / ".gemini/config/hooks.json").read_text())["hooks"]
    [group] = hooks["PreToolUse"]
    assert group == {"hooks": hooks["PostInvocation"]}
    assert hooks["PostInvocation"][0]["command"].endswith(" antigravity")


MINE = {"mine": {"Stop": [{"type": "command", "command": "true"}]}}


@pytest.mark.parametrize("before", [MINE, {}, {"hooks": {"PreToolUse": []}, **MINE}])
def test_what_stands_beside_it_stays_untouched(machine: Machine, before: Any) -> None:
    path = put(machine, before)
    text = path.read_text()
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "added"
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "unchanged"
    assert row(unwire(machine, harnesses=CHOSEN))["action"] == "removed"
    assert path.read_text() == text


DROPPED = {
    "a comment": '{"hooks": {}} // mine',
    "a list": [],
    "a switch on top": {"enabled": True},
    "an event that is a text": {"mine": {"Stop": "x"}},
    "an event in other letters": {"mine": {"pretooluse": "x"}},
    "a group that is a text": {"mine": {"PreToolUse": ["x"]}},
    "a group where none may be": {"mine": {"Stop": [{"hooks": [{"command": "true"}]}]}},
    "a matcher that is a number": {"mine": {"PreToolUse": [{"matcher": 1}]}},
    "no command": {"mine": {"Stop": [{"type": "command"}]}},
    "an empty command": {"mine": {"Stop": [{"command": ""}]}},
    "a handler that is null": {"mine": {"Stop": [None]}},
    "another type": {"mine": {"PostToolUse": [{"hooks": [{"type": "http", "command": "x"}]}]}},
    "a timeout with a point": {"mine": {"Stop": [{"command": "true", "timeout": 1.5}]}},
    "a timeout that is true": {"mine": {"Stop": [{"command": "true", "timeout": True}]}},
    "a switch in words": {"mine": {"enabled": "true"}},
}


@pytest.mark.parametrize("contents", DROPPED.values(), ids=DROPPED)
def test_a_file_that_it_drops_is_refused_and_stays_untouched(
    machine: Machine, contents: Any
) -> None:
    path = put(machine, contents)
    text = path.read_text()
    result = wire(machine, harnesses=CHOSEN)
    assert result.exit_code == 1
    assert len(codes(result)) == 1
    assert path.read_text() == text


LOADED = {
    "null": {"mine": None},
    "an event that nobody knows": {"mine": {"Whatever": "x"}},
    "an event of null": {"mine": {"Stop": None}},
    "an empty group": {"mine": {"PreToolUse": [{}]}},
    "no type": {"mine": {"Stop": [{"command": "true", "more": 1, "timeout": -1}]}},
    "no group": {"mine": {"PreToolUse": [{"command": "true"}]}},
    "off": {"mine": {"enabled": False}},
}


@pytest.mark.parametrize("contents", LOADED.values(), ids=LOADED)
def test_what_it_leaves_alone_is_no_fault(machine: Machine, contents: Any) -> None:
    put(machine, contents)
    assert wire(machine, harnesses=CHOSEN).exit_code == 0
    assert [check.level for check in examine(machine, machine.cwd)] == ["ok", "ok", "info", "ok"]


@pytest.mark.parametrize(("value", "level"), [(False, "error"), (True, "ok"), (None, "ok")])
def test_the_switch_of_our_own_hook(machine: Machine, value: Any, level: str) -> None:
    wire(machine, harnesses=CHOSEN)
    path = machine.home / ".gemini/config/hooks.json"
    values = json.loads(path.read_text())
    values["hooks"]["enabled"] = value
    put(machine, values)
    assert checks(machine)["allowed.disabled"].level == level


def test_the_doctor_names_the_core_that_was_measured(machine: Machine) -> None:
    assert "0.1.22" in checks(machine)["allowed.release"].message
