"""Golden payloads of both events that are wired, as VS Code 1.139.1 sends them, ids shortened."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import ASK, BEFORE_CALL, DENY, EDIT, NOTE, ON_PROMPT, SHELL, SPAWN, Call
from runaway.guard.dialects import sender, vscode
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from tests.guard.transcripts.records import VSCODE
from tests.support.homes import tamper

NOW = 1_800_000_000.0
COMMON = {
    "timestamp": "2026-12-01T12:39:37.354Z",
    "session_id": "eff2078d-b928-483b-9ab7-4cbd2a83db78",
    "transcript_path": "/gone.jsonl",
    "cwd": "/home/u/app",
}
CALL = {
    **COMMON,
    "hook_event_name": "PreToolUse",
    "tool_name": "run_in_terminal",
    "tool_input": {
        "command": "npm test",
        "explanation": "x",
        "goal": "y",
        "mode": "sync",
        "isBackground": False,
        "timeout": 0,
    },
    "tool_use_id": "call_000001__vscode-1796128766269",
}
SPOKEN = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "go"}


class Session:
    """The guard called as a hook, one event after the other, a second apart."""

    def __init__(self, folder: Path, **policy: Any) -> None:
        self.policy = Policy(policy, str(folder))
        self.now = NOW

    def decision(self, number: int, *, harness: str = "copilot", **changes: Any) -> str:
        """What is said to the call of this number, whose words for the person change."""
        self.now += 1
        prose = {"explanation": f"try {number}", "goal": f"attempt {number}"}
        told = {**CALL, "tool_use_id": f"call_{number}__vscode-1", **changes}
        told["tool_input"] = {**told["tool_input"], **prose}
        data = reply(harness, json.dumps(told).encode(), self.policy, self.now)
        hook = json.loads(data or b"{}").get("hookSpecificOutput", {})
        return str(hook.get("permissionDecision", ""))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "state")


@pytest.mark.parametrize("harness", ["copilot", "claude"])
@pytest.mark.parametrize("payload", [CALL, SPOKEN])
def test_the_editor_is_known_by_its_payload(harness: str, payload: dict[str, Any]) -> None:
    assert sender(harness, payload) == "vscode"


def test_a_call_is_read_whole() -> None:
    call = vscode.read(CALL, NOW)
    assert (call.harness, call.stage, call.session) == ("vscode", BEFORE_CALL, COMMON["session_id"])
    assert (call.tool, call.kind, call.cwd) == ("run_in_terminal", SHELL, "/home/u/app")
    assert call.id == "call_000001"  # by which the transcript knows it
    assert call.arguments == {"command": "npm test"}
    assert call.attended
    assert vscode.read(SPOKEN, NOW).stage == ON_PROMPT


@pytest.mark.parametrize(
    ("tool", "told", "kind", "kept"),
    [
        ("send_to_terminal", {"id": "t", "command": "x"}, SHELL, {"id": "t", "command": "x"}),
        (
            "insert_edit_into_file",
            {"explanation": "e", "filePath": "/a", "code": "c"},
            EDIT,
            {"file_path": "/a", "code": "c"},
        ),
        ("apply_patch", {"input": "p", "explanation": "e"}, EDIT, {"command": "p"}),
        ("runSubagent", {"prompt": "p", "description": "d"}, SPAWN, {"prompt": "p"}),
    ],
)
def test_kinds_and_arguments_of_tools(
    tool: str, told: dict[str, Any], kind: str, kept: dict[str, Any]
) -> None:
    call = vscode.read({**CALL, "tool_name": tool, "tool_input": told}, NOW)
    assert (call.kind, call.arguments) == (kind, kept)


def test_a_loop_whose_prose_changes_is_asked_about_and_denied(session: Session) -> None:
    assert [session.decision(number) for number in range(14)] == [""] * 7 + ["ask"] * 4 + [
        "deny"
    ] * 3


def test_two_entries_count_a_call_once(session: Session) -> None:
    for number in range(8):
        told = session.decision(number)
        assert session.decision(number, harness="claude") == told
    assert told == "ask"


def test_who_leaves_the_editor_alone_has_it_deny(tmp_path: Path) -> None:
    session = Session(tmp_path, unasked=["vscode"])
    assert [session.decision(number) for number in range(8)] == [""] * 7 + ["deny"]


def test_only_a_persons_prompt_clears(session: Session, tmp_path: Path) -> None:
    """The event comes for a subagent's task too; the transcript tells which is which."""
    log = tmp_path / "log.jsonl"
    [golden] = VSCODE.glob("*.jsonl")
    lines = golden.read_bytes().splitlines(keepends=True)
    spoken = next(
        at for at, line in enumerate(lines) if b"do it" in line and b"user.message" in line
    )
    log.write_bytes(b"".join(lines[:spoken]))
    for number in range(7):
        session.decision(number, transcript_path=str(log))
    log.write_bytes(b"".join(lines[: spoken + 1]))
    assert session.decision(7, transcript_path=str(log)) == "ask"
    again = json.dumps({**json.loads(lines[1]), "id": "again"}).encode().replace(b": ", b":")
    log.write_bytes(log.read_bytes() + again + b"\n")
    assert session.decision(8, transcript_path=str(log)) == ""


def test_a_call_that_throws_is_a_failure(session: Session, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    [golden] = VSCODE.glob("*.jsonl")
    shutil.copyfile(golden, log)
    told = []
    for number in range(4):
        told.append(session.decision(number, transcript_path=str(log)))
        ended = {"toolCallId": f"call_{number}", "success": False}
        with log.open("a") as file:
            for kind, data in (("assistant.turn_start", {}), ("tool.execution_complete", ended)):
                record = {"type": kind, "data": data, "id": f"{number}"}
                file.write(json.dumps(record, separators=(",", ":")) + "\n")
    assert told == ["", "", "", "ask"]


@pytest.mark.parametrize("place", [".config/Code/User", ".vscode-server/data/Machine"])
def test_switching_hooks_off_is_held_back(tmp_path: Path, place: str) -> None:
    session = Session(tmp_path, tamper=tamper(Path("/home/u")), unasked=["vscode"])
    content = '{"chat.useHooks": false}'
    told = {"filePath": f"/home/u/{place}/settings.json", "content": content}
    assert session.decision(0, tool_name="create_file", tool_input=told) == "deny"
    told["content"] = '{"editor.fontSize": 12}'
    assert session.decision(1, tool_name="create_file", tool_input=told) == ""


def answered(level: int, event: str = "PreToolUse", stage: str = BEFORE_CALL) -> dict[str, Any]:
    data = vscode.answer(Call("vscode", "s", event=event, stage=stage), level, "why é")
    assert data.count(b"\n") == 0
    answer = json.loads(data)
    assert isinstance(answer, dict)
    return answer


def test_answers_are_one_object() -> None:
    said = {"permissionDecisionReason": "why é", "hookEventName": "PreToolUse"}
    for level, decision in ((ASK, "ask"), (DENY, "deny")):
        assert answered(level) == {"hookSpecificOutput": {**said, "permissionDecision": decision}}
    blocked = answered(DENY, "UserPromptSubmit", ON_PROMPT)
    assert blocked == {"decision": "block", "reason": "why é"}
    hook = {"hookEventName": "PreToolUse", "additionalContext": "why é"}
    assert answered(NOTE) == {"hookSpecificOutput": hook, "systemMessage": "why é"}
