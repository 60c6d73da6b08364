"""Golden payloads as Droid 0.225.2 sends them, ids shortened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import DENY, EDIT, NOTE, OTHER, SHELL, SPAWN, STOP, WAIT, WEB
from runaway.guard.dialects import droid
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from tests.support.homes import tamper

NOW = 1_800_000_000.0
CALL = {
    "session_id": "root",
    "transcript_path": "/gone.jsonl",
    "cwd": "/home/u/app",
    "permission_mode": "auto-low",
    "hook_event_name": "PreToolUse",
    "tool_name": "Execute",
    "tool_input": {
        "command": "npm test ",
        "summary": "Run the tests",
        "riskLevel": "low",
        "riskLevelReason": "It only reads",
    },
}


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a run that nobody watches."""
    values: dict[str, str] = {}
    monkeypatch.setattr(droid, "variable", values.get)
    return values


def test_a_call_is_read() -> None:
    call = droid.read(CALL, NOW)
    assert (call.harness, call.session, call.agent, call.id) == ("droid", "root", "", "")
    assert (call.tool, call.kind, call.cwd) == ("Execute", SHELL, "/home/u/app")
    assert (call.arguments, call.transcript) == ({"command": "npm test"}, "/gone.jsonl")
    assert not call.attended


@pytest.mark.parametrize(("value", "attended"), [("cli", True), ("sdk", False)])
def test_somebody_attends_on_a_terminal(
    variables: dict[str, str], value: str, attended: bool
) -> None:
    variables["FACTORY_UPSTREAM_CLIENT_TYPE"] = value
    assert droid.read(CALL, NOW).attended is attended


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Execute", SHELL),
        ("Edit", EDIT),
        ("Create", EDIT),
        ("Task", SPAWN),
        ("TaskOutput", WAIT),
        ("WaitForScript", WAIT),
        ("FetchUrl", WEB),
        ("WebSearch", WEB),
        ("Read", OTHER),
    ],
)
def test_a_tool_is_known_by_its_name(tool: str, kind: str) -> None:
    assert droid.read({**CALL, "tool_name": tool}, NOW).kind == kind


@pytest.mark.parametrize(
    ("tool", "given", "kept"),
    [
        ("Task", {"prompt": "x", "description": "y", "await": False}, {"prompt": "x"}),
        ("Read", {"file_path": "/a", "limit": None}, {"file_path": "/a"}),
        ("x", "raw", "raw"),
    ],
)
def test_what_does_not_change_the_act_is_left_out(tool: str, given: Any, kept: Any) -> None:
    assert droid.identifying_arguments(tool, given) == kept


def test_a_denial_and_the_end_of_a_turn() -> None:
    hook = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
    call = droid.read(CALL, NOW)
    assert json.loads(droid.answer(call, DENY, "no")) == {"hookSpecificOutput": hook}
    assert json.loads(droid.answer(call, STOP, "no")) == {
        "hookSpecificOutput": hook,
        "continue": False,
        "stopReason": "no",
    }


def test_a_note_reaches_nobody_so_none_is_given() -> None:
    assert droid.answer(droid.read(CALL, NOW), NOTE, "look") == b""


def decisions(policy: Policy, count: int, **changes: Any) -> list[str]:
    """Of equal calls: `deny`, `end` or nothing."""
    found = []
    for number in range(count):
        told = reply("droid", json.dumps({**CALL, **changes}).encode(), policy, NOW + number)
        answer = json.loads(told or b"{}")
        hook = answer.get("hookSpecificOutput", {})
        found.append("end" if "continue" in answer else hook.get("permissionDecision", ""))
    return found


def test_a_repeated_call_is_denied_and_then_ends_the_turn(tmp_path: Path) -> None:
    policy = Policy({}, str(tmp_path))
    assert decisions(policy, 21) == [""] * 7 + ["deny"] * 12 + ["end"] * 2


def test_a_person_is_never_asked_because_an_ask_lets_the_call_run(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    variables["FACTORY_UPSTREAM_CLIENT_TYPE"] = "cli"
    assert decisions(Policy({}, str(tmp_path)), 9) == [""] * 7 + ["deny"] * 2


def test_the_same_result_again_and_again_is_seen_in_the_log(tmp_path: Path) -> None:
    policy, log = Policy({}, str(tmp_path)), tmp_path / "s.jsonl"
    told = []
    for number in range(7):
        use = {
            "type": "tool_use",
            "id": f"c{number}",
            "name": "Execute",
            "input": CALL["tool_input"],
        }
        append(log, {"role": "assistant", "content": [use]})
        told += decisions(policy, 1, transcript_path=str(log))
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "same"}
        append(log, {"role": "user", "content": [result]})
    assert told == [""] * 5 + ["deny"] * 2


def append(log: Path, message: dict[str, Any]) -> None:
    start = {"type": "session_start", "cwd": CALL["cwd"]}
    record = {"type": "message", "id": "m", "timestamp": "2026-11-30T12:00:00Z", "message": message}
    lines = [record] if log.exists() else [start, record]
    with log.open("a") as file:
        file.write("".join(json.dumps(one) + "\n" for one in lines))


def test_an_edit_that_switches_hooks_off_is_denied(tmp_path: Path) -> None:
    edit = {"file_path": "/p/.factory/settings.json", "content": '{"hooks":{"hooksDisabled":true}}'}
    policy = Policy({"tamper": tamper(Path("/home/u"))}, str(tmp_path))
    assert decisions(policy, 1, tool_name="Create", tool_input=edit) == ["deny"]
