"""Golden payloads of both events that are wired, as Qwen Code 0.24 sends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import (
    ASK,
    BEFORE_CALL,
    BEFORE_REQUEST,
    DENY,
    NOTE,
    ON_PROMPT,
    SHELL,
    STOP,
    Call,
)
from runaway.guard.dialects import qwen
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from tests.support.homes import tamper

NOW = 1_800_000_000.0
COMMON = {
    "session_id": "cc4567c3-951c-40be-b1a7-cb1c41a04818",
    "transcript_path": "",
    "cwd": "/home/u/project",
    "timestamp": "2026-11-30T17:36:20.796Z",
    "permission_mode": "yolo",
    "prompt_id": "cc4567c3-951c-40be-b1a7-cb1c41a04818########0",
}
CALL = {
    **COMMON,
    "hook_event_name": "PreToolUse",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "npm test ", "description": "test it", "is_background": False},
    "tool_use_id": "toolu_1796060181292_tr0o8zx7h",
    "tool_call_id": "toolu_e731328203db45f78eb02982",
}
SPOKEN = {
    **COMMON,
    "hook_event_name": "UserPromptSubmit",
    "prompt": "go",
    "submitted_prompt": "go",
}
GOES_ON = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": ""}


class Session:
    """The guard called as a hook, one event after the other, a second apart."""

    def __init__(self, folder: Path, **policy: Any) -> None:
        self.policy = Policy(policy, str(folder))
        self.now = NOW

    def tell(self, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """The answer; {} for silence, which is the answer without an opinion."""
        self.now += 1
        told = {**payload, **changes}
        if payload is CALL and "tool_call_id" not in changes:
            told["tool_call_id"] = f"c{self.now}"
        data = reply("qwen", json.dumps(told).encode(), self.policy, self.now)
        answer = json.loads(data or b"{}")
        assert isinstance(answer, dict)
        return answer


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_a_call_is_read_whole() -> None:
    call = qwen.read(CALL, NOW)
    assert (call.harness, call.stage, call.session) == ("qwen", BEFORE_CALL, COMMON["session_id"])
    assert (call.tool, call.kind, call.cwd) == ("run_shell_command", SHELL, "/home/u/project")
    assert call.id == "toolu_e731328203db45f78eb02982"  # by which the log knows it
    assert call.arguments == {"command": "npm test"}
    assert (call.agent, call.attended) == ("", False)
    assert qwen.read({**CALL, "agent_id": "general-1"}, NOW).agent == "general-1"


def test_the_event_of_a_prompt_comes_before_every_request() -> None:
    assert qwen.read(SPOKEN, NOW).stage == ON_PROMPT
    assert qwen.read(GOES_ON, NOW).stage == BEFORE_REQUEST


def denied(answer: dict[str, Any]) -> bool:
    return bool(answer.get("hookSpecificOutput", {}).get("permissionDecision") == "deny")


def test_a_loop_is_denied_and_its_turn_ended_when_the_model_is_asked_again(
    session: Session,
) -> None:
    answers = []
    for _ in range(20):
        answers.append(denied(session.tell(CALL)))
        if len(answers) < 20:
            assert session.tell(GOES_ON) == {}
    assert answers == [False] * 7 + [True] * 13
    ended = session.tell(GOES_ON)
    assert ended["decision"] == "block"
    assert ended["reason"].startswith("[runaway]")


def test_a_new_prompt_lifts_it(session: Session) -> None:
    for _ in range(20):
        session.tell(CALL)
    session.tell(SPOKEN, prompt_id="s########1")
    assert session.tell(GOES_ON) == {}
    assert session.tell(CALL) == {}


def test_what_a_stop_hook_goes_on_with_clears_nothing(session: Session) -> None:
    """It comes under the id of the prompt, and nobody has submitted it."""
    hooks = {key: value for key, value in SPOKEN.items() if key != "submitted_prompt"}
    session.tell(SPOKEN)
    answers = []
    for _ in range(9):
        answers.append(denied(session.tell(CALL)))
        session.tell(hooks)
    assert answers == [False] * 7 + [True] * 2
    session.tell(hooks, prompt_id="s########1")
    assert not denied(session.tell(CALL)), "under a new id a person may have written it"


def test_laps_of_a_stop_hook_end(session: Session) -> None:
    hooks = {key: value for key, value in SPOKEN.items() if key != "submitted_prompt"}
    session.tell(SPOKEN)
    answers = []
    for number in range(26):
        session.tell(hooks)
        made = {"command": f"echo {number}"}
        answers.append(denied(session.tell(CALL, tool_input=made)))
    assert answers == [False] * 24 + [True] * 2
    assert session.tell(GOES_ON)["decision"] == "block"


def test_a_turn_that_a_person_let_go_on_is_not_ended(session: Session) -> None:
    for _ in range(20):
        session.tell(CALL)
    session.policy.paused_until = session.now + 60
    assert session.tell(GOES_ON) == {}


def test_a_subagent_counts_apart(session: Session) -> None:
    for _ in range(7):
        assert session.tell(CALL, agent_id="a") == {}
    assert session.tell(CALL) == {}
    assert denied(session.tell(CALL, agent_id="a"))


def test_past_the_cap_neither_prompts_nor_further_requests_are_sent(tmp_path: Path) -> None:
    session = Session(tmp_path, session_cap=1e-9)
    log = tmp_path / "chats" / "s.jsonl"
    log.parent.mkdir()
    told = {
        "event.name": "qwen-code.api_response",
        "response_id": "m",
        "model": "qwen3-coder-plus",
        "input_token_count": 1000,
        "output_token_count": 10,
    }
    record = {
        "timestamp": "2027-01-15T08:00:00Z",
        "type": "system",
        "subtype": "ui_telemetry",
        "systemPayload": {"uiEvent": told},
    }
    log.write_text(json.dumps(record) + "\n")
    for payload in (SPOKEN, GOES_ON):
        answer = session.tell(payload, transcript_path=str(log))
        assert answer["decision"] == "block"
        assert "spend.session" in answer["reason"]


def test_a_write_to_its_settings_that_switches_hooks_off_is_held_back(tmp_path: Path) -> None:
    session = Session(tmp_path, tamper=tamper(Path("/home/u")))
    write = {"file_path": "/home/u/.qwen/settings.json", "content": '{"disableAllHooks": true}'}
    assert denied(session.tell(CALL, tool_name="write_file", tool_input=write))


@pytest.mark.parametrize(
    "changes",
    [
        {"transcript_path": None},
        {"tool_input": None},
        {"tool_call_id": None, "tool_use_id": None},
        {"prompt_id": 5},
    ],
)
def test_what_may_be_missing_is_not_missed(session: Session, changes: dict[str, Any]) -> None:
    assert session.tell(CALL, **changes) == {}


def answered(level: int, event: str = "PreToolUse", stage: str = BEFORE_CALL) -> dict[str, Any]:
    answer = json.loads(qwen.answer(Call("qwen", "s", event=event, stage=stage), level, "why é"))
    assert isinstance(answer, dict)
    return answer


def test_answers_are_those_of_claude_code_but_for_prompts() -> None:
    said = {"permissionDecisionReason": "why é", "hookEventName": "PreToolUse"}
    for level, decision in ((ASK, "ask"), (DENY, "deny")):
        hook = {**said, "permissionDecision": decision}
        assert answered(level) == {"systemMessage": "why é", "hookSpecificOutput": hook}
    for stage, level in ((ON_PROMPT, DENY), (BEFORE_REQUEST, STOP)):
        blocked = answered(level, "UserPromptSubmit", stage)
        assert blocked == {"decision": "block", "reason": "why é"}
    hook = answered(NOTE, "UserPromptSubmit", ON_PROMPT)["hookSpecificOutput"]
    assert hook == {"hookEventName": "UserPromptSubmit", "additionalContext": "why é"}
