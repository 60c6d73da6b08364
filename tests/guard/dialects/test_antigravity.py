"""Golden payloads of every event, as Antigravity's core 0.1.22 sends them, paths shortened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import ASK, BEFORE_CALL, BEFORE_REQUEST, DENY, EDIT, NOTE, SHELL, STOP
from runaway.guard.dialects import antigravity
from runaway.guard.hook import reply
from runaway.guard.policy import Policy

NOW = 1_800_000_000.0
COMMON = {
    "artifactDirectoryPath": "/h/brain/b9e8",
    "conversationId": "b9e8",
    "modelName": "gemini",
    "transcriptPath": "/h/brain/b9e8/.system_generated/logs/transcript_full.jsonl",
    "workspacePaths": ["/h/project"],
}
ARGUMENTS = {"CommandLine": "npm test", "Cwd": "/h/project"}
TOLD = {**ARGUMENTS, "Blocking": True, "SafeToAutoRun": True, "WaitMsBeforeAsync": 3000}
CALL = {**COMMON, "stepIdx": 2, "toolCall": {"args": TOLD, "name": "run_command"}}
INVOKED = {**COMMON, "initialNumSteps": 1, "invocationNum": 0}


def test_a_call_is_read() -> None:
    call = antigravity.read(CALL, NOW)
    assert (call.harness, call.stage, call.session) == ("antigravity", BEFORE_CALL, "b9e8")
    assert (call.id, call.tool, call.kind, call.cwd) == ("2", "run_command", SHELL, "/h/project")
    assert (call.arguments, call.attended) == (ARGUMENTS, False)
    assert call.transcript == COMMON["transcriptPath"]


def test_what_the_log_tells_beside_makes_no_other_call() -> None:
    logged = {**TOLD, "toolAction": "Running", "toolSummary": "Tests"}
    assert antigravity.identifying_arguments("run_command", logged) == ARGUMENTS


def test_after_a_response_a_turn_may_be_ended() -> None:
    call = antigravity.read(INVOKED, NOW)
    assert (call.stage, call.event, call.tool) == (BEFORE_REQUEST, "PostInvocation", "")


def test_what_changes_files() -> None:
    call = {"name": "write_to_file", "args": {"TargetFile": "/x"}}
    assert antigravity.read({**CALL, "toolCall": call}, NOW).kind == EDIT


@pytest.mark.parametrize("folders", [None, [], "x", {}])
def test_without_a_workspace(folders: Any) -> None:
    assert antigravity.read({**CALL, "workspacePaths": folders}, NOW).cwd == ""


@pytest.mark.parametrize(
    ("payload", "level", "expected"),
    [
        (CALL, NOTE, None),
        (CALL, ASK, {"decision": "force_ask", "reason": "text"}),
        (CALL, DENY, {"decision": "deny", "reason": "text"}),
        (CALL, STOP, {"decision": "deny", "reason": "text"}),
        (INVOKED, NOTE, None),
        (INVOKED, DENY, {"terminationBehavior": "terminate"}),
        (INVOKED, STOP, {"terminationBehavior": "terminate"}),
    ],
)
def test_an_answer_holds_no_key_that_is_not_known(payload: Any, level: int, expected: Any) -> None:
    answer = antigravity.answer(antigravity.read(payload, NOW), level, "text")
    assert (json.loads(answer) if answer else None) == expected


def test_a_loop_is_denied_and_the_run_ends_after_the_response(tmp_path: Path) -> None:
    policy = Policy({"limits": {"loop.same_call": [None, None, 3, 4]}}, str(tmp_path))

    def said(payload: dict[str, Any]) -> str:
        answer = reply("antigravity", json.dumps(payload).encode(), policy, NOW)
        return next(iter(json.loads(answer).values())) if answer else ""

    answers = [said({**CALL, "stepIdx": 2 * n}) + said(INVOKED) for n in range(1, 5)]
    assert answers == ["", "", "deny", "denyterminate"]
