"""What makes Claude Code drop a file as a whole; each row was measured on the real program."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.installer.documents import json_document
from runaway.installer.documents.values import name_of
from runaway.installer.harnesses.claude.validation import RULES, problems

HANDLER: dict[str, Any] = {"type": "command", "command": "x"}


def in_group(**changes: Any) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [HANDLER]} | changes]}}


def with_handler(**changes: Any) -> dict[str, Any]:
    return in_group(hooks=[HANDLER | changes])


def found(settings: Any, version: tuple[int, ...] | None = None) -> list[str]:
    document = json_document.parse(json.dumps(settings).encode(), RULES, "settings.json")
    return [name_of(fault.path) for fault in problems(document, version)]


HARMLESS: dict[str, Any] = {
    "nothing": {},
    "no hooks": {"model": "opus", "permissions": {"allow": ["no such rule"]}},
    "unknown keys": {"x": 1, **in_group(_note="mine"), "y": None},
    "unknown keys in a handler": with_handler(_managed=True),
    "an unknown event": {"hooks": {"NoSuchEvent": [{"hooks": 5}]}},
    "an event that is no list": {"hooks": {"PreToolUse": {"hooks": 5}}},
    "an event that is null": {"hooks": {"Stop": None}},
    "hooks null": {"hooks": None},
    "hooks a list": {"hooks": []},
    "an empty event": {"hooks": {"PreToolUse": []}},
    "a group without handlers": in_group(hooks=[]),
    "a matcher that matches nothing": in_group(matcher="("),
    "half a second": with_handler(timeout=0.5),
    "an hour": with_handler(timeout=3600),
    "every known type": in_group(
        hooks=[
            HANDLER,
            {"type": "prompt", "prompt": "x"},
            {"type": "agent", "prompt": "x"},
            {"type": "http", "url": "x"},
            {"type": "mcp_tool", "tool": "x"},
        ]
    ),
    "known shells": in_group(hooks=[HANDLER | {"shell": s} for s in ("bash", "powershell")]),
    "known ends": in_group(hooks=[HANDLER | {"onFailure": s} for s in ("continue", "block")]),
    "hooks switched off": {"disableAllHooks": True},
    "30 days": {"cleanupPeriodDays": 30},
}

GROUP, FIRST = "hooks.PreToolUse[0]", "hooks.PreToolUse[0].hooks[0]"
DROPPED: dict[str, tuple[Any, str]] = {
    "no type": (in_group(hooks=[{"command": "x"}]), FIRST),
    "an unknown type": (with_handler(type="shell"), FIRST),
    "a type that is no text": (with_handler(type=["command"]), FIRST),
    "no command": (in_group(hooks=[{"type": "command"}]), FIRST),
    "a command that is no text": (with_handler(command=["x"]), FIRST),
    "a timeout in text": (with_handler(timeout="10"), f"{FIRST}.timeout"),
    "a timeout of 0": (with_handler(timeout=0), f"{FIRST}.timeout"),
    "a negative timeout": (with_handler(timeout=-1), f"{FIRST}.timeout"),
    "a timeout that is true": (with_handler(timeout=True), f"{FIRST}.timeout"),
    "a timeout that is null": (with_handler(timeout=None), f"{FIRST}.timeout"),
    "a matcher that is null": (in_group(matcher=None), f"{GROUP}.matcher"),
    "a matcher that is a number": (in_group(matcher=5), f"{GROUP}.matcher"),
    "a group without hooks": ({"hooks": {"PreToolUse": [{"matcher": "x"}]}}, GROUP),
    "a group whose hooks are no list": (in_group(hooks={}), GROUP),
    "a flat entry": ({"hooks": {"PreToolUse": [HANDLER]}}, GROUP),
    "a group that is text": ({"hooks": {"PreToolUse": ["x"]}}, GROUP),
    "a handler that is text": (in_group(hooks=["x"]), FIRST),
    "an unknown shell": (with_handler(shell="fish"), f"{FIRST}.shell"),
    "an unknown end": (with_handler(onFailure="ignore"), f"{FIRST}.onFailure"),
    "a stranger's fault in another event": (
        {"hooks": {"PreToolUse": [{"hooks": [HANDLER]}], "Stop": [{"hooks": [HANDLER, {}]}]}},
        "hooks.Stop[0].hooks[1]",
    ),
    "days in text": ({"cleanupPeriodDays": "x"}, "cleanupPeriodDays"),
    "no days": ({"cleanupPeriodDays": 0}, "cleanupPeriodDays"),
    "a switch in text": ({"disableAllHooks": "true"}, "disableAllHooks"),
    "a switch that is null": ({"disableAllHooks": None}, "disableAllHooks"),
    "a list at the top": ([], "the top level"),
    "null at the top": (None, "the top level"),
}


@pytest.mark.parametrize("settings", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_claude_code_reads_has_no_fault(settings: Any) -> None:
    assert found(settings) == []


@pytest.mark.parametrize(("settings", "place"), DROPPED.values(), ids=DROPPED.keys())
def test_what_makes_it_drop_the_file_is_named_by_its_place(settings: Any, place: str) -> None:
    assert found(settings) == [place]


@pytest.mark.parametrize("number", [b"1e400", b"1.10", b"9" * 5000, b"1e-300"])
def test_numbers_of_any_size_are_numbers(number: bytes) -> None:
    data = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": %s}]}]}}'
    document = json_document.parse(data % number, RULES, "settings.json")
    assert list(problems(document, None)) == []


@pytest.mark.parametrize(
    ("version", "places"),
    [
        (None, ["hooks.Stop[0].hooks[0]"]),  # unknown: taken for an old one
        ((2, 1, 257), ["hooks.Stop[0].hooks[0]"]),
        ((2, 1, 258), []),
        ((2, 1, 332), []),
        ((3, 0), []),
    ],
)
def test_newer_releases_drop_only_the_events_that_cannot_decide(
    version: tuple[int, ...] | None, places: list[str]
) -> None:
    assert found({"hooks": {"Stop": [{"hooks": [{}]}]}}, version) == places
    assert found(in_group(hooks=[{}]), version) == [FIRST]


def test_every_fault_is_told_in_the_order_of_the_file() -> None:
    bad = {"hooks": {"PreToolUse": [{"matcher": 5, "hooks": [{}, HANDLER, 7]}, 8]}}
    assert found(bad) == [f"{GROUP}.matcher", FIRST, f"{GROUP}.hooks[2]", "hooks.PreToolUse[1]"]
