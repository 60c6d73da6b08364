"""Who sits in the chain before our hook: mods, told by name, from their text alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.harnesses.claude import mods
from runaway.installer.machine import Machine
from tests.support.installer import diagnose, install_claude, levels, wire

SILENCING = "export function register(on) { on('classic.PreToolUse', ($, e, next) => ({})) }\n"


def mod(folder: Path, text: str, *, module: str = "./register.js") -> Path:
    (folder / ".claude-plugin").mkdir(parents=True)
    (folder / ".claude-plugin/plugin.json").write_text('{"name": "m", "version": "0.1.0"}')
    (folder / "hooks").mkdir()
    (folder / "hooks/hooks.json").write_text(json.dumps({"modules": [module]}))
    (folder / "hooks" / module).write_text(text)
    return folder


@pytest.fixture
def guarded(machine: Machine) -> Machine:
    install_claude(machine, "2.1.332")
    wire(machine)
    assert "error" not in levels(diagnose(machine)).values()
    return machine


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (SILENCING, "error"),
        (SILENCING.replace("'", '"'), "error"),
        (SILENCING.replace("'", "`"), "error"),
        (SILENCING.replace("PreToolUse", "*"), "error"),
        (SILENCING.replace("PreToolUse", "PostToolBatch"), "warning"),
        (SILENCING.replace("classic.PreToolUse", "tool.check"), "warning"),
        (SILENCING.replace("classic.PreToolUse", "tool.call"), "warning"),
        (SILENCING.replace("classic.PreToolUse", "session.start"), None),
        ("// says nothing of classic.PreToolUse but this\n", None),
    ],
)
def test_a_mod_is_told_by_what_it_takes(guarded: Machine, text: str, level: str | None) -> None:
    mod(guarded.home / ".claude/skills/odd", text)
    found = levels(diagnose(guarded))
    assert found.get("allowed.mods") == level


def test_it_is_found_wherever_claude_code_loads_it(guarded: Machine) -> None:
    project = guarded.home / "project"
    places = [
        mod(guarded.home / ".claude/skills/own", SILENCING),
        mod(project / ".claude/skills/theirs", SILENCING),
        mod(guarded.home / ".claude/plugins/cache/x/1.0", SILENCING, module="deep.mjs"),
    ]
    listed = {"version": 2, "plugins": {"x@y": [{"scope": "user", "installPath": str(places[2])}]}}
    (guarded.home / ".claude/plugins/installed_plugins.json").write_text(json.dumps(listed))
    assert [one.folder for one in mods.found(guarded, project)] == places
    [named, *_] = [
        one for one in diagnose(guarded).data["checks"] if one["check"] == "allowed.mods"
    ]
    assert "~/.claude/skills/own" in named["message"]
    assert "~/.claude/skills/own" in named["fix"]


@pytest.mark.parametrize(
    "before", [b"\xff\n", b"//" + b"x" * (1 << 21) + b"\n"], ids=["bytes", "long"]
)
def test_nothing_in_its_text_hides_what_it_takes(guarded: Machine, before: bytes) -> None:
    folder = mod(guarded.home / ".claude/skills/odd", "")
    (folder / "hooks/register.js").write_bytes(before + SILENCING.encode())
    assert levels(diagnose(guarded))["allowed.mods"] == "error"


def test_a_release_without_mods_does_not_mind(machine: Machine) -> None:
    install_claude(machine, "2.1.280")
    wire(machine)
    mod(machine.home / ".claude/skills/odd", SILENCING)
    assert "allowed.mods" not in levels(diagnose(machine))


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"modules": 7}', '{"modules": [7, "none.js"]}', "[" * 9000]
)
def test_odd_files_are_no_mods(guarded: Machine, text: str) -> None:
    folder = guarded.home / ".claude/skills/odd/hooks"
    folder.mkdir(parents=True)
    (folder / "hooks.json").write_text(text)
    (guarded.home / ".claude/plugins").mkdir()
    (guarded.home / mods.INSTALLED).parent.mkdir(parents=True, exist_ok=True)
    (guarded.home / ".claude" / mods.INSTALLED).write_text(text)
    assert list(mods.found(guarded, guarded.home)) == []
