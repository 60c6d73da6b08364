"""Golden payloads of both events that are wired, as Grok Build 1.0.41 sends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import ASK, BEFORE_CALL, DENY, NOTE, ON_PROMPT, SHELL, SPAWN, Call
from runaway.guard.dialects import grok, sender
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from tests.support.homes import tamper

NOW = 1_800_000_000.0
SESSION = "01a23176-f216-7b32-9fef-d9cabc125e45"
COMMON = {
    "sessionId": SESSION,
    "cwd": "/home/u/project",
    "workspaceRoot": "/home/u/project",
    "timestamp": "2026-12-01T11:56:48.621289860+00:00",
    "permissionMode": "bypassPermissions",
    "session_id": SESSION,
    "permission_mode": "bypassPermissions",
}
INPUT = {"command": "npm test ", "description": "test it", "background": False}
CALL = {
    **COMMON,
    "hookEventName": "pre_tool_use",
    "transcriptPath": "",
    "toolName": "run_terminal_command",
    "toolUseId": "toolu_8d4601afd1cb4abd85bb1c78",
    "toolInput": INPUT,
    "toolInputTruncated": False,
    "hook_event_name": "PreToolUse",
    "transcript_path": "",
    "tool_name": "run_terminal_command",
    "tool_input": INPUT,
    "tool_use_id": "toolu_8d4601afd1cb4abd85bb1c78",
}
SPOKEN = {
    **COMMON,
    "hookEventName": "user_prompt_submit",
    "hook_event_name": "UserPromptSubmit",
    "promptId": "ecec1083-9c1c-4308-808e-9df39d905dac",
    "prompt": "go",
}


class Session:
    """The guard called as a hook, one event after the other, a second apart."""

    def __init__(self, folder: Path, **policy: Any) -> None:
        self.policy = Policy(policy, str(folder))
        self.now = NOW

    def tell(
        self, payload: dict[str, Any], *, harness: str = "grok", later: float = 1, **changes: Any
    ) -> dict[str, Any]:
        """The answer; {} for silence, which is the answer without an opinion."""
        self.now += later
        told = {**payload, **changes}
        if payload is CALL and "tool_use_id" not in changes:
            told["tool_use_id"] = f"c{self.now}"
        answer = json.loads(
            reply(harness, json.dumps(told).encode(), self.policy, self.now) or b"{}"
        )
        assert isinstance(answer, dict)
        return answer


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def denied(answer: dict[str, Any]) -> bool:
    return bool(answer.get("hookSpecificOutput", {}).get("permissionDecision") == "deny")


def test_a_call_is_read_whole() -> None:
    call = grok.read(CALL, NOW)
    assert (call.harness, call.stage, call.session) == ("grok", BEFORE_CALL, SESSION)
    assert (call.tool, call.kind, call.cwd) == ("run_terminal_command", SHELL, "/home/u/project")
    assert call.id == "toolu_8d4601afd1cb4abd85bb1c78"  # by which the log knows it
    assert call.arguments == {"command": "npm test"}
    assert (call.agent, call.attended) == ("", False)
    assert grok.read({**CALL, "tool_name": "spawn_subagent"}, NOW).kind == SPAWN
    assert grok.read(SPOKEN, NOW).stage == ON_PROMPT


@pytest.mark.parametrize("harness", ["claude", "cursor", "grok"])
@pytest.mark.parametrize("payload", [CALL, SPOKEN])
def test_it_is_known_by_what_it_tells_whoever_registered_the_guard(
    harness: str, payload: dict[str, Any]
) -> None:
    assert sender(harness, payload) == "grok"


def test_two_entries_count_a_call_once(session: Session) -> None:
    for number in range(7):
        assert session.tell(CALL, tool_use_id=f"c{number}") == {}
        assert session.tell(CALL, harness="claude", later=0, tool_use_id=f"c{number}") == {}
    for harness in ("grok", "claude"):
        assert denied(session.tell(CALL, harness=harness, later=0, tool_use_id="c7"))


def test_somebody_is_there_only_where_a_call_is_not_approved_anyhow(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grok, "at_terminal", lambda prevents: not prevents("--trust"))
    asking = {**CALL, "permission_mode": "default"}
    assert grok.read(asking, NOW).attended
    assert not grok.read(CALL, NOW).attended


@pytest.mark.parametrize(
    ("word", "headless"),
    [("-p", True), ("--single=go", True), ("--prompt-file", True), ("--permission-mode", False)],
)
def test_options_of_a_run_that_asks_nobody(word: str, headless: bool) -> None:
    assert grok._runs_headless(word) is headless


def test_every_further_call_of_a_loop_is_denied(session: Session) -> None:
    assert [denied(session.tell(CALL)) for _ in range(20)] == [False] * 7 + [True] * 13


def test_past_the_cap_prompts_are_held_back(tmp_path: Path) -> None:
    session = Session(tmp_path, session_cap=1e-9)
    log = tmp_path / "updates.jsonl"
    spent = {"grok-4.5": {"inputTokens": 1000, "outputTokens": 10, "modelCalls": 1}}
    update = {"sessionUpdate": "turn_completed", "prompt_id": "p", "usage": {"modelUsage": spent}}
    params = {"update": update, "_meta": {"agentTimestampMs": int(NOW * 1000)}}
    record = {"method": "_x.ai/session/update", "params": params}
    log.write_text(json.dumps(record, separators=(",", ":")) + "\n")
    answer = session.tell(SPOKEN, transcript_path=str(log))
    assert answer["decision"] == "block"
    assert "spend.session" in answer["reason"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("disabled-hooks", "global/runaway:pre_tool_use[0].hooks[0]\n"),
        ("requirements.toml", "allow_managed_hooks_only = true\n"),
        ("managed_config.toml", "allow_managed_hooks_only = true\n"),
    ],
)
def test_a_change_that_switches_the_guard_off_is_held_back(
    tmp_path: Path, name: str, text: str
) -> None:
    session = Session(tmp_path, tamper=tamper(Path("/home/u")))
    write = {"file_path": f"/home/u/.grok/{name}", "content": text}
    assert denied(session.tell(CALL, tool_name="write", tool_input=write))


@pytest.mark.parametrize(
    "changes", [{"transcript_path": None}, {"tool_input": None}, {"tool_use_id": None}]
)
def test_what_may_be_missing_is_not_missed(session: Session, changes: dict[str, Any]) -> None:
    assert session.tell(CALL, **changes) == {}


def answered(level: int, event: str = "PreToolUse", stage: str = BEFORE_CALL) -> dict[str, Any]:
    answer = json.loads(grok.answer(Call("grok", "s", event=event, stage=stage), level, "why é"))
    assert isinstance(answer, dict)
    return answer


def test_answers_are_those_of_claude_code_but_for_prompts() -> None:
    said = {"permissionDecisionReason": "why é", "hookEventName": "PreToolUse"}
    for level, decision in ((ASK, "ask"), (DENY, "deny")):
        hook = {**said, "permissionDecision": decision}
        assert answered(level) == {"hookSpecificOutput": hook}
    blocked = answered(DENY, "UserPromptSubmit", ON_PROMPT)
    assert blocked == {"decision": "block", "reason": "why é"}
    hook = {"hookEventName": "PreToolUse", "additionalContext": "why é"}
    assert answered(NOTE) == {"hookSpecificOutput": hook}
