"""A settings file before and after an edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.tampering.settings import disarms
from tests.support.homes import SCRIPT, facts, settings

HOME = Path("/home/u")
FACTS = facts(HOME)


def ours(values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = values["hooks"]["PreToolUse"][0]["hooks"][0]
    return found


def renewed(values: dict[str, Any]) -> None:
    ours(values)["command"] = ours(values)["command"].replace(SCRIPT, "exec /bin/" + SCRIPT)


def made_harmless(values: dict[str, Any]) -> None:
    ours(values)["command"] = "true; " + ours(values)["command"]


def narrowed(values: dict[str, Any]) -> None:
    values["hooks"]["PreToolUse"][0]["matcher"] = "Nothing"


def moved_down(values: dict[str, Any]) -> None:
    values["hooks"]["PreToolUse"].insert(0, {"hooks": [{"type": "command", "command": "mine"}]})


def joined(values: dict[str, Any]) -> None:
    values["hooks"]["PreToolUse"].append({"hooks": [{"type": "command", "command": "mine"}]})


def joined_by_a_bad_one(values: dict[str, Any]) -> None:
    values["hooks"]["PreToolUse"].append({"hooks": [{"type": "command", "timeout": "10"}]})


def shortened(values: dict[str, Any]) -> None:
    ours(values)["timeout"] = 0.01


def lengthened(values: dict[str, Any]) -> None:
    ours(values)["timeout"] = 30


def in_background(values: dict[str, Any]) -> None:
    ours(values)["async"] = True


CHANGES: list[tuple[Callable[[dict[str, Any]], None], tuple[str, ...]]] = [
    (renewed, ()),
    (made_harmless, ("claude", "codex")),
    (narrowed, ("claude", "codex")),
    (moved_down, ("codex",)),  # it knows a hook that was trusted by its place
    (joined, ()),
    (joined_by_a_bad_one, ("claude", "codex")),
    (shortened, ("claude", "codex")),
    (lengthened, ()),
    (in_background, ("claude", "codex")),
]


@pytest.mark.parametrize("harness", ["claude", "codex"])
@pytest.mark.parametrize(("change", "disarmed"), CHANGES)
def test_our_entry_must_go_on_starting_the_guard_for_every_tool(
    harness: str, change: Callable[[dict[str, Any]], None], disarmed: tuple[str, ...]
) -> None:
    [(name, values)] = settings(HOME)[harness].items()
    before = json.dumps(values)
    change(values)
    found = disarms(FACTS, f"/home/u/{name}", before, json.dumps(values), wired=True)
    assert found is (harness in disarmed)


SWITCHED: dict[str, tuple[str, str, bool]] = {
    "off": (".claude/settings.json", '{"disableAllHooks": true}', True),
    "on": (".claude/settings.json", '{"disableAllHooks": false}', False),
    "a wrong type": (".claude/settings.json", '{"disableAllHooks": "no"}', True),
    "a variable": (".claude/settings.json", '{"env": {"CLAUDE_CODE_SIMPLE": "1"}}', True),
    "another variable": (".claude/settings.json", '{"env": {"EDITOR": "vi"}}', False),
    "disabled by name": (
        ".gemini/settings.json",
        '{"hooksConfig": {"disabled": ["runaway"]}}',
        True,
    ),
    "another by name": (".gemini/settings.json", '{"hooksConfig": {"disabled": ["x"]}}', False),
    "not enabled": (".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', True),
    "enabled": (".gemini/settings.json", '{"hooksConfig": {"enabled": true}}', False),
    "no trust": (".gemini/trustedFolders.json", '{"/p": "DO_NOT_TRUST"}', True),
    "trust": (".gemini/trustedFolders.json", '{"/p": "TRUST_FOLDER"}', False),
    "a feature": (".codex/config.toml", "[features]\nhooks = false # why\n", True),
    "a dotted feature": (".codex/config.toml", "features.hooks=false\n", True),
    "an inline feature": (".codex/config.toml", "features = { hooks = false }\n", True),
    "another feature": (".codex/config.toml", "[features]\nhooks = true\n", False),
    "Droid's": (".factory/settings.json", '{"hooks": {"hooksDisabled": true}}', True),
    "with a comment": (".gemini/settings.json", '{"theme": "x" /* */}', False),
    "off, with a comment": (".qwen/settings.json", '{"disableAllHooks": true} // x', True),
}


@pytest.mark.parametrize(("name", "after", "disarmed"), SWITCHED.values(), ids=SWITCHED)
def test_a_switch_that_comes_is_a_persons_business_and_one_that_stays_is_not(
    name: str, after: str, disarmed: bool
) -> None:
    path = f"/p/{name}"
    assert disarms(FACTS, path, None, after, wired=False) is disarmed
    assert disarms(FACTS, path, after, after, wired=False) is False
