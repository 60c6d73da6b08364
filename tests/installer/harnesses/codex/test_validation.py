"""Which values void a hooks file: each row was tried with Codex 0.171.0 (`hooks/list`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.installer.documents.json_document import parse
from runaway.installer.harnesses.codex.validation import JSON_RULES, problems


def handler(**fields: Any) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", **fields}]}]}}


def group(**fields: Any) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [fields]}}


def kind(**fields: Any) -> dict[str, Any]:
    return group(hooks=[fields])


def reasons(settings: Any, *, in_toml: bool = False) -> list[str]:
    document = parse(json.dumps(settings).encode(), JSON_RULES, "hooks.json")
    return [fault.reason for fault in problems(document.value, in_toml=in_toml)]


ACCEPTED = {
    "empty": {},
    "no hooks": {"hooks": {}},
    "description": {"description": "mine", "hooks": {}},
    "null description": {"description": None},
    "flat handler": group(type="command", command="x"),
    "group without hooks": group(matcher="Bash"),
    "null matcher": group(matcher=None, hooks=[]),
    "matcher that is no regex": group(matcher="(", hooks=[]),
    "inert group": group(hooks=[]),
    "unknown field of a group": group(hooks=[], z=1),
    "unknown field of a handler": handler(z=1),
    "unknown event of a wrong type": {"hooks": {"Foo": 3}},
    "state": {"hooks": {"state": {}}},
    "prompt without prompt": kind(type="prompt"),
    "agent": kind(type="agent"),
    "tool of a server": kind(type="mcp_tool", server="s", tool="t"),
    "timeout 0": handler(timeout=0),
    "null timeout": handler(timeout=None),
    "null status message": handler(statusMessage=None),
    "null limit": handler(additionalContextLimit=None),
    "null Windows command": handler(commandWindows=None),
    "empty command": handler(command=""),
}


@pytest.mark.parametrize("settings", ACCEPTED.values(), ids=ACCEPTED)
def test_what_codex_accepts_is_no_fault(settings: Any) -> None:
    assert reasons(settings) == []


VOID = {
    "unknown key at the top": {"$schema": "x", "hooks": {}},
    "version": {"version": 1},
    "description of a wrong type": {"description": 3},
    "hooks are null": {"hooks": None},
    "event is null": {"hooks": {"PreToolUse": None}},
    "event is an object": {"hooks": {"Stop": {}}},
    "group is a string": {"hooks": {"PreToolUse": ["x"]}},
    "group is null": {"hooks": {"PreToolUse": [None]}},
    "hooks of a group are null": group(hooks=None),
    "hooks of a group are an object": group(hooks={}),
    "matcher is a number": group(matcher=3, hooks=[]),
    "no type": kind(command="x"),
    "no command": kind(type="command"),
    "http": kind(type="http", url="x"),
    "tool without server": kind(type="mcp_tool", tool="t"),
    "timeout is a float": handler(timeout=1.5),
    "timeout is a whole float": handler(timeout=10.0),
    "timeout is text": handler(timeout="1"),
    "timeout below 0": handler(timeout=-1),
    "timeout is true": handler(timeout=True),
    "timeout too large": handler(timeout=2**64),
    "async is null": handler(**{"async": None}),
    "async is 1": handler(**{"async": 1}),
    "status message is a number": handler(statusMessage=3),
    "limit is text": handler(additionalContextLimit="3"),
    "Windows command is a number": handler(commandWindows=3),
    "Windows command is a number, other spelling": handler(command_windows=3),
}


@pytest.mark.parametrize("settings", VOID.values(), ids=VOID)
def test_what_voids_the_file_is_one_fault(settings: Any) -> None:
    assert len(reasons(settings)) == 1


def test_config_toml_may_hold_anything_beside_its_hooks() -> None:
    assert reasons({"model": "x", "hooks": {}}, in_toml=True) == []
    assert reasons({"hooks": {"PreToolUse": 3}}, in_toml=True) == [
        "an event needs a list of groups"
    ]


def test_a_top_level_that_is_no_object_is_a_fault() -> None:
    assert [fault.path for fault in problems([], in_toml=False)] == [()]
