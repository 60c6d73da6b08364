"""Golden payloads of every event that is wired, as Codex 0.171.0 sends them, ids shortened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import (
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
    ON_PROMPT,
    ON_USAGE,
    OTHER,
    SHELL,
    SPAWN,
    WAIT,
)
from runaway.guard.dialects import codex
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import file_name, peek

NOW = 1_800_000_000.0
COMMON = {
    "session_id": "root",
    "turn_id": "turn-1",
    "transcript_path": None,
    "cwd": "/home/u/app",
    "model": "gpt-5.5",
    "permission_mode": "bypassPermissions",
}
CALL = {
    **COMMON,
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "npm test"},
    "tool_use_id": "call_1",
}
BELOW = {"agent_id": "child", "agent_type": "default", "turn_id": "turn-of-child"}
SPOKEN = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}
TOKENS = {
    "input_tokens": 1500,
    "cached_input_tokens": 400,
    "cache_write_input_tokens": 100,
    "output_tokens": 70,
    "reasoning_output_tokens": 30,
    "total_tokens": 1570,
}
BILLED = {
    "kind": "sampling",
    "request_id": "request",
    "attempt_number": 1,
    "session_id": "root",
    "thread_id": "root",
    "turn_id": "turn-1",
    "cwd": "/home/u/app",
    "transcript_path": None,
    "model": "gpt-5.5",
    "hook_event_name": "PostModelRequest",
    "status": "completed",
    "error": None,
    "token_usage": TOKENS,
    "response_id": "resp_1",
}


def test_a_call_is_read() -> None:
    call = codex.read(CALL, NOW)
    assert (call.harness, call.stage, call.session, call.agent) == (
        "codex",
        BEFORE_CALL,
        "root",
        "",
    )
    assert (call.prompt, call.id, call.tool, call.kind) == ("turn-1", "call_1", "Bash", SHELL)
    assert (call.arguments, call.cwd) == ({"command": "npm test"}, "/home/u/app")
    assert (call.transcript, call.model) == ("", "gpt-5.5")


def test_a_subagents_turn_is_no_prompt_of_a_person() -> None:
    call = codex.read({**CALL, **BELOW}, NOW)
    assert (call.agent, call.prompt, call.session) == ("child", "", "root")
    assert codex.read({**SPOKEN, **BELOW}, NOW).batch == ()


@pytest.mark.parametrize(
    ("mode", "attended"),
    [
        ("default", True),
        ("acceptEdits", True),
        ("plan", True),
        ("dontAsk", False),
        ("bypassPermissions", False),
        (None, False),
    ],
)
def test_somebody_attends_where_somebody_is_asked(mode: str | None, attended: bool) -> None:
    assert codex.read({**CALL, "permission_mode": mode}, NOW).attended is attended


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Bash", SHELL),
        ("apply_patch", EDIT),
        ("spawn_agent", SPAWN),
        ("collaborationspawn_agent", SPAWN),
        ("multi_agent_v1wait_agent", WAIT),
        ("collaborationwait_agent", WAIT),
        ("clocksleep", WAIT),
        ("wait_for_environment", WAIT),
        ("mcp__docs__search", OTHER),
    ],
)
def test_a_tool_is_known_by_the_name_that_the_hook_is_told(tool: str, kind: str) -> None:
    assert codex.read({**CALL, "tool_name": tool}, NOW).kind == kind


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"command": "make  \n"}, {"command": "make"}),
        ({"message": "do", "fork": None, "wait": False}, {"message": "do"}),
        ("raw", "raw"),
        (None, None),
    ],
)
def test_what_does_not_change_the_act_is_left_out(given: Any, kept: Any) -> None:
    assert codex.identifying_arguments("Bash", given) == kept


def test_a_prompt_and_what_it_tells() -> None:
    call = codex.read(SPOKEN, NOW)
    assert call.stage == ON_PROMPT
    batch: Any = call.batch
    [(_, _, turn, human)] = batch
    assert (turn, human) == ("turn-1", True)


def test_usage_does_not_count_the_cache_twice() -> None:
    call = codex.read(BILLED, NOW)
    assert call.stage == ON_USAGE
    batch: Any = call.batch
    [(_, when, identity, model, usage, inherited)] = batch
    assert (when, identity, model, inherited) == (NOW, "resp_1", "gpt-5.5", False)
    assert (usage.input, usage.cache_read, usage.cache_write_5m, usage.output) == (
        1000,
        400,
        100,
        70,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"token_usage": None},
        {"response_id": None},
        {"status": "failed", "token_usage": None},
        {"token_usage": []},
        {"token_usage": {"input_tokens": "many"}},
    ],
)
def test_a_failed_request_costs_nothing(changes: dict[str, Any]) -> None:
    assert codex.read({**BILLED, **changes}, NOW).batch == ()


# What is printed: a key that Codex does not know would void it.


def test_a_denial_has_no_key_too_many() -> None:
    assert json.loads(codex.answer(codex.read(CALL, NOW), DENY, "no")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }
    }


@pytest.mark.parametrize("payload", [CALL, SPOKEN], ids=["call", "prompt"])
def test_a_note_is_for_the_person_and_for_the_model(payload: dict[str, Any]) -> None:
    assert json.loads(codex.answer(codex.read(payload, NOW), NOTE, "look")) == {
        "systemMessage": "look",
        "hookSpecificOutput": {
            "hookEventName": payload["hook_event_name"],
            "additionalContext": "look",
        },
    }


def test_a_prompt_is_blocked() -> None:
    blocked = codex.answer(codex.read(SPOKEN, NOW), DENY, "no more")
    assert json.loads(blocked) == {"decision": "block", "reason": "no more"}


def test_nothing_is_said_after_a_response() -> None:
    assert codex.answer(codex.read(BILLED, NOW), NOTE, "look") == b""


# The whole way.


def run(policy: Policy, payload: dict[str, Any], now: float = NOW) -> dict[str, Any]:
    answer = reply("codex", json.dumps(payload).encode(), policy, now)
    return json.loads(answer) if answer else {}


def decisions(policy: Policy, calls: int, **changes: Any) -> list[str]:
    """Of equal calls: `deny` or nothing, one word each."""
    found = []
    for number in range(calls):
        told = run(policy, {**CALL, **changes, "tool_use_id": f"call_{number}"}, NOW + number)
        found.append(told.get("hookSpecificOutput", {}).get("permissionDecision", ""))
    return found


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_attended_or_not_a_repeated_call_is_denied_never_asked_about(
    tmp_path: Path, mode: str
) -> None:
    policy = Policy({}, str(tmp_path))
    seen = decisions(policy, 22, permission_mode=mode)
    assert seen == [""] * 7 + ["deny"] * 15


def test_waiting_for_others_is_no_loop(tmp_path: Path) -> None:
    policy = Policy({}, str(tmp_path))
    seen = decisions(policy, 41, tool_name="collaborationwait_agent", tool_input={"timeout_ms": 1})
    assert seen == [""] * 39 + ["deny"] * 2


def test_where_a_turn_should_end_all_its_calls_are_denied_until_the_next_prompt(
    tmp_path: Path,
) -> None:
    policy = Policy({}, str(tmp_path))
    decisions(policy, 21)
    other = {**CALL, "tool_use_id": "other", "tool_input": {"command": "ls"}}
    assert run(policy, other)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert run(policy, {**other, **BELOW, "tool_use_id": "below"}) == {}
    run(policy, {**SPOKEN, "turn_id": "turn-2"})
    assert run(policy, {**other, "turn_id": "turn-2", "tool_use_id": "again"}) == {}


def test_past_the_cap_the_next_prompt_is_blocked(tmp_path: Path) -> None:
    policy = Policy({"session_cap": 0.005}, str(tmp_path))
    assert run(policy, SPOKEN) == {}
    assert run(policy, BILLED) == {}
    told = run(policy, {**SPOKEN, "turn_id": "turn-2"})
    assert told["decision"] == "block"
    assert told["reason"].startswith("[runaway] ")


def test_a_response_told_twice_is_billed_once(tmp_path: Path) -> None:
    policy = Policy({}, str(tmp_path))
    for _ in range(2):
        run(policy, BILLED)
    state = peek(str(tmp_path / "sessions" / file_name("codex", "root")))
    once = state["spend"]["total"]
    run(policy, {**BILLED, "response_id": "resp_2"})
    state = peek(str(tmp_path / "sessions" / file_name("codex", "root")))
    assert state["spend"]["total"] == pytest.approx(2 * once)


def test_a_days_cap_holds_for_the_first_prompt_of_another_session(tmp_path: Path) -> None:
    policy = Policy({"day_cap": 0.005}, str(tmp_path))
    run(policy, BILLED)
    assert run(policy, {**SPOKEN, "session_id": "another"})["decision"] == "block"
