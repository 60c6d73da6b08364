"""Key and hash of a hook; tests/live/test_codex_trust.py compares them with Codex's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses.codex.trust import Hook, hash_of, hooks_in, snake, status

NAMED = {"statusMessage": "runaway guard"}
GIVEN = {  # what Codex 0.171.0 said of each
    "plain": (
        "PreToolUse", None, {"command": "true"},
        "a7de97b60e1412f8e936f33ad7e97c04dfe69190d43e61d14c46265643383835",
    ),
    "not ASCII": (
        "PreToolUse", None, {"command": "echo é", "timeout": 10, "statusMessage": "réview"},
        "d548cb575c46ead146a697e17bc209d38e391ce17f7ae9ba5aa802322da55fa0",
    ),
    "matcher": (
        "PreToolUse", "Bash",
        {"command": "python3 '/home/u/guard.py' || true", "timeout": 10, **NAMED},
        "879336f11d4f2014ffad1b3d859184cbcd2d5008f14484816db2ae772e3131fe",
    ),
    "timeout above the most": (
        "SessionEnd", "", {"command": "true", "timeout": 30},
        "10db2f91bb0be5e4ac2698bee037818da6e7ee31aa6c1682c86dceb87f7e6bfe",
    ),
    "event without matcher": (
        "Stop", "*", {"command": "true"},
        "2ba34c7a02841fada06b868a093d041fd3d9de81883c789a321916b0aa118851",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("event", "matcher", "handler", "digest"), GIVEN.values(), ids=GIVEN)
def test_the_hash_is_that_of_codex(
    event: str, matcher: str | None, handler: dict[str, Any], digest: str
) -> None:
    assert hash_of(event, matcher, {"type": "command", **handler}) == f"sha256:{digest}"


@pytest.mark.parametrize(
    "fields",
    [
        {"timeout": 600},
        {"timeout": None},
        {"async": False},
        {"statusMessage": None},
        {"timeoutSec": 3, "note": "x"},
    ],
)
def test_what_says_nothing_new_leaves_the_hash_alone(fields: dict[str, Any]) -> None:
    plain = {"type": "command", "command": "true"}
    assert hash_of("PreToolUse", None, plain | fields) == hash_of("PreToolUse", None, plain)


@pytest.mark.parametrize(
    "fields",
    [
        {"timeout": 599},
        {"async": True},
        {"statusMessage": ""},
        {"additionalContextLimit": 5},
        {"command": "true "},
    ],
)
def test_any_change_changes_the_hash(fields: dict[str, Any]) -> None:
    plain = {"type": "command", "command": "true"}
    assert hash_of("PreToolUse", None, plain | fields) != hash_of("PreToolUse", None, plain)


@pytest.mark.parametrize(
    ("event", "name"),
    [("PreToolUse", "pre_tool_use"), ("Stop", "stop"), ("PostModelRequest", "post_model_request")],
)
def test_events_are_spelled_as_in_keys(event: str, name: str) -> None:
    assert snake(event) == name


def test_every_group_and_handler_counts_for_the_place_of_those_behind_it() -> None:
    run = {"type": "command", "command": "x"}
    groups = [
        {"hooks": []},
        {"type": "command", "command": "flat"},
        {"hooks": [{"type": "prompt"}, {"type": "command", "command": ""}, run]},
        {"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]},
    ]
    found = list(hooks_in({"hooks": {"PreToolUse": groups, "Unknown": groups}}, Path("/h.json")))
    assert [hook.key for hook in found] == ["/h.json:pre_tool_use:2:2", "/h.json:pre_tool_use:3:0"]
    assert found[1].hash is None


@pytest.mark.parametrize("settings", [None, [], {}, {"hooks": []}, {"hooks": {"Stop": {"a": 1}}}])
def test_nothing_is_found_in_a_file_without_hooks(settings: Any) -> None:
    assert list(hooks_in(settings, Path("/h.json"))) == []


HOOK = Hook("k", "Stop", "x", "sha256:1")


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ({}, "untrusted"),
        ({"k": {"trusted_hash": "sha256:1"}}, "trusted"),
        ({"k": {"trusted_hash": "sha256:1", "enabled": True}}, "trusted"),
        ({"k": {"trusted_hash": "sha256:2"}}, "modified"),
        ({"k": {"trusted_hash": "sha256:1", "enabled": False}}, "disabled"),
        ({"k": {"enabled": True}}, "untrusted"),
        ({"k": 3}, "untrusted"),
        (3, "untrusted"),
    ],
)
def test_the_status_is_read_from_the_users_config(states: Any, expected: str) -> None:
    assert status(HOOK, {"hooks": {"state": states}}) == expected


def test_of_a_kind_whose_hash_is_not_known_nothing_is_claimed() -> None:
    config = {"hooks": {"state": {"k": {"trusted_hash": "sha256:1"}}}}
    assert status(HOOK._replace(hash=None), config) == "unknown"
