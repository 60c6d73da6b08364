"""Payloads of Kiro as its documents and others' captures have them; nothing here was run against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import (
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
    ON_PROMPT,
    OTHER,
    SHELL,
    SPAWN,
    WEB,
)
from runaway.guard.dialects import kiro
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import file_name, peek
from runaway.guard.words import MARKER

NOW = 1_800_000_000.0
CLI_2 = {  # headless: no session is named
    "hook_event_name": "preToolUse",
    "cwd": "/h/project",
    "tool_name": "execute_bash",
    "tool_input": {"command": "npm test", "summary": "Runs the tests"},
}
IDE_1 = {**CLI_2, "hook_event_name": "PreToolUse", "session_id": "s1"}
PROMPT = {
    "hook_event_name": "UserPromptSubmit",
    "cwd": "/h/project",
    "session_id": "s1",
    "prompt": "go",
}


@pytest.mark.parametrize("payload", [CLI_2, IDE_1])
def test_a_call_is_read(payload: dict[str, Any]) -> None:
    call = kiro.read(payload, NOW)
    assert (call.harness, call.stage, call.cwd) == ("kiro", BEFORE_CALL, "/h/project")
    assert (call.tool, call.kind, call.arguments) == (
        "execute_bash",
        SHELL,
        {"command": "npm test"},
    )


def test_whose_session_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kiro, "variable", {"KIRO_SESSION_ID": "told"}.get)
    assert kiro.read(IDE_1, NOW).session == "s1"
    assert kiro.read(CLI_2, NOW).session == "told"
    monkeypatch.setattr(kiro, "variable", lambda _: None)
    here, there = kiro.read(CLI_2, NOW), kiro.read({**CLI_2, "cwd": "/other"}, NOW)
    assert here.session.startswith("folder-")
    assert here.session != there.session


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("fs_write", EDIT),
        ("use_subagent", SPAWN),
        ("subagent_reviewer", SPAWN),
        ("web_fetch", WEB),
        ("fs_read", OTHER),
    ],
)
def test_kinds_of_tools(tool: str, kind: str) -> None:
    assert kiro.read({**IDE_1, "tool_name": tool}, NOW).kind == kind


def test_a_file_is_named_as_others_name_it() -> None:
    told = {"command": "create", "path": "/x", "file_text": "y", "summary": "z"}
    wanted = {"command": "create", "file_path": "/x", "content": "y"}
    assert kiro.identifying_arguments("fs_write", told) == wanted


def test_only_a_denial_says_anything() -> None:
    call = kiro.read(IDE_1, NOW)
    answers = [kiro.answer(call, level, "why — so") for level in (NOTE, ASK, DENY)]
    assert answers == [b"", b"", "why — so".encode()]


def ask(state: Path, payload: dict[str, Any], now: float = NOW) -> bytes:
    return reply("kiro", json.dumps(payload).encode(), Policy({}, str(state)), now)


@pytest.mark.parametrize("payload", [CLI_2, IDE_1])
def test_a_loop_is_denied_whatever_its_summary_says(
    tmp_path: Path, payload: dict[str, Any]
) -> None:
    answers = [
        ask(tmp_path, {**payload, "tool_input": {"command": "npm test", "summary": f"Try {n}"}})
        for n in range(8)
    ]
    assert answers[:7] == [b""] * 7
    assert answers[7].startswith(MARKER.encode())


def test_a_prompt_clears_the_count(tmp_path: Path) -> None:
    assert kiro.read(PROMPT, NOW).stage == ON_PROMPT
    for turn in range(3):
        assert ask(tmp_path, PROMPT, NOW + 10 * turn) == b""
        assert [ask(tmp_path, IDE_1, NOW + 10 * turn + 1) for _ in range(5)] == [b""] * 5
    assert peek(str(tmp_path / "sessions" / file_name("kiro", "s1")))
