"""Golden payloads of every event that is wired, as Copilot CLI 1.0.102 sends them, ids shortened."""

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
    OTHER,
    SHELL,
    SPAWN,
    WAIT,
    WEB,
)
from runaway.guard.dialects import copilot
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import file_name, peek
from tests.support.homes import tamper

NOW = 1_800_000_000.0
STAMP = "2026-11-30T12:01:43.065Z"
COMMON = {"session_id": "main", "timestamp": STAMP, "cwd": "/home/u/app"}
CALL = {
    **COMMON,
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "npm test", "description": "Run the tests"},
}
BELOW = {
    "session_id": "child",
    "agent_id": "child",
    "agent_type": "task",
    "parent_agent_id": "main",
}
SPOKEN = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}


class Session:
    """The guard called as a hook below a home that is empty; where a person is, `attended`."""

    def __init__(self, folder: Path, variables: dict[str, str], **policy: Any) -> None:
        self.policy = Policy(policy, str(folder / "state"))
        self.log = folder / ".copilot/session-state/main/events.jsonl"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.variables = variables
        self.now = NOW
        self.word = "copilot"

    def tell(self, payload: dict[str, Any], **changes: Any) -> str:
        self.now += 1
        data = json.dumps({**payload, **changes}).encode()
        return reply(self.word, data, self.policy, self.now).decode("ascii")

    def decision(self, payload: dict[str, Any] = CALL, **changes: Any) -> str:
        """`deny`, `ask`, or nothing; a note is nothing."""
        last = self.tell(payload, **changes).rpartition("\n")[2]
        hook = json.loads(last or "{}").get("hookSpecificOutput", {})
        return str(hook.get("permissionDecision", ""))

    def decisions(self, count: int, payload: dict[str, Any] = CALL, **changes: Any) -> list[str]:
        return [self.decision(payload, **changes) for _ in range(count)]

    def write(self, kind: str, data: dict[str, Any], **fields: Any) -> None:
        record = {"type": kind, "data": data, "timestamp": STAMP, **fields}
        with self.log.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def announced(self, identity: str, command: str = "npm test") -> None:
        """The log tells of a call, as it was put to hooks."""
        call = {"id": identity, "name": "bash", "args": {"command": command, "description": "x"}}
        told = {"sessionId": "main", "cwd": "/home/u/app", "toolCalls": [call]}
        self.write("hook.start", {"hookType": "preToolUse", "input": told})

    def ended(self, identity: str, code: int = 0) -> None:
        """The log tells of its result."""
        result = {"success": True, "shellExecution": {"exitCode": code}, "turnId": identity}
        self.write("tool.execution_complete", {"toolCallId": identity, **result})

    @property
    def state(self) -> dict[str, Any]:
        return peek(f"{self.policy.state}/sessions/{file_name('copilot', 'main')}")


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """The environment of a run that nobody watches."""
    values = {"HOME": str(tmp_path)}
    monkeypatch.setattr(copilot, "variable", values.get)
    return values


@pytest.fixture
def session(tmp_path: Path, variables: dict[str, str]) -> Session:
    return Session(tmp_path, variables)


def test_a_call_is_read(variables: dict[str, str]) -> None:
    call = copilot.read(CALL, NOW)
    assert (call.harness, call.stage, call.session, call.agent) == (
        "copilot",
        BEFORE_CALL,
        "main",
        "",
    )
    assert (call.id, call.prompt, call.tool, call.kind) == ("", "", "Bash", SHELL)
    assert (call.arguments, call.cwd) == ({"command": "npm test"}, "/home/u/app")
    assert call.transcript == f"{variables['HOME']}/.copilot/session-state/main/events.jsonl"
    assert not call.attended


def test_a_subagent_belongs_to_the_session_that_started_it() -> None:
    call = copilot.read({**CALL, **BELOW}, NOW)
    assert (call.session, call.agent) == ("main", "child")


def test_the_log_lies_in_the_folder_that_a_variable_names(variables: dict[str, str]) -> None:
    variables["COPILOT_HOME"] = "/elsewhere"
    assert copilot.read(CALL, NOW).transcript == "/elsewhere/session-state/main/events.jsonl"


def test_somebody_attends_on_a_terminal(variables: dict[str, str]) -> None:
    variables["COPILOT_LOADER_PID"] = "1"
    assert copilot.read(CALL, NOW).attended


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Bash", SHELL),
        ("Edit", EDIT),
        ("Write", EDIT),
        ("Agent", SPAWN),
        ("WebFetch", WEB),
        ("read_bash", WAIT),
        ("read_agent", WAIT),
        ("github-mcp-server-search", OTHER),
    ],
)
def test_a_tool_is_known_by_the_name_that_the_hook_is_told(tool: str, kind: str) -> None:
    assert copilot.read({**CALL, "tool_name": tool}, NOW).kind == kind


@pytest.mark.parametrize(
    ("tool", "given", "kept"),
    [
        (
            "Bash",
            {"command": "make  \n", "description": "x", "initial_wait": 5},
            {"command": "make"},
        ),
        ("Read", {"path": "/a", "forceReadLargeFiles": False}, {"path": "/a"}),
        ("Write", {"path": "/a", "file_text": "x"}, {"path": "/a", "content": "x"}),
        ("Edit", "*** Begin Patch", {"command": "*** Begin Patch"}),
        ("x", None, None),
    ],
)
def test_what_does_not_change_the_act_is_left_out(tool: str, given: Any, kept: Any) -> None:
    assert copilot.identifying_arguments(tool, given) == kept


# What is printed.


def test_a_denial_names_the_event_and_the_reason() -> None:
    assert json.loads(copilot.answer(copilot.read(CALL, NOW), DENY, "no")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }
    }


def test_a_note_is_a_line_for_the_person_and_an_object_for_the_model() -> None:
    shown, told = copilot.answer(copilot.read(CALL, NOW), NOTE, "look").splitlines()
    assert json.loads(shown) == {"type": "progress", "message": "look"}
    hook = {"hookEventName": "PreToolUse", "additionalContext": "look"}
    assert json.loads(told) == {"hookSpecificOutput": hook}


def test_before_a_prompt_there_is_only_the_line() -> None:
    call = copilot.read(SPOKEN, NOW)
    assert call.stage == ON_PROMPT
    assert json.loads(copilot.answer(call, NOTE, "look")) == {"type": "progress", "message": "look"}
    assert json.loads(copilot.answer(call, DENY, "no")) == {"decision": "block", "reason": "no"}


# The whole way.


def test_a_repeated_call_is_denied_and_then_the_whole_turn(session: Session) -> None:
    assert session.decisions(20) == [""] * 7 + ["deny"] * 13
    other: dict[str, Any] = {"tool_input": {"command": "ls"}}
    assert session.decision(**other) == "deny"
    assert session.decision({**CALL, **BELOW}, **other) == ""
    session.write("user.message", {"messageId": "first"})
    session.write("user.message", {"messageId": "second"})
    assert session.decision(**other) == ""


def test_a_person_is_asked_first(session: Session) -> None:
    session.variables["COPILOT_LOADER_PID"] = "1"
    assert session.decisions(12) == [""] * 7 + ["ask"] * 4 + ["deny"]


def test_a_yes_is_seen_in_the_log_and_starts_the_count_anew(session: Session) -> None:
    session.variables["COPILOT_LOADER_PID"] = "1"
    for number in range(8):
        session.decision()
        session.announced(f"c{number}")
    session.ended("c7")
    assert session.decisions(15) == [""] * 15
    assert list(session.state["granted"].values()) == [2]


@pytest.mark.parametrize("early", [True, False], ids=["before the hook", "after it"])
def test_the_same_result_again_and_again_is_seen_whenever_the_log_tells_of_a_call(
    session: Session, early: bool
) -> None:
    told = []
    for number in range(7):
        if early:
            session.announced(f"c{number}")
        told.append(session.decision())
        if not early:
            session.announced(f"c{number}")
        session.ended(f"c{number}")
    assert told == [""] * 5 + ["deny"] * 2
    [agent] = session.state["agents"].values()
    assert len(agent["calls"]) == agent["count"] == 7


def test_a_late_log_changes_only_when_a_loop_is_seen(session: Session) -> None:
    told = []
    for number in range(10):
        told.append(session.decision())
        if number >= 3:
            session.announced(f"c{number - 3}")
            session.ended(f"c{number - 3}")
    assert told == [""] * 7 + ["deny"] * 3
    [agent] = session.state["agents"].values()
    assert len(agent["calls"]) == 10


def test_the_first_prompt_that_the_log_tells_late_forgets_no_call(session: Session) -> None:
    session.decisions(3)
    session.write("user.message", {"messageId": "m"})
    assert session.decisions(5) == [""] * 4 + ["deny"]


def test_failing_rounds_are_stopped(session: Session) -> None:
    for number in range(6):
        assert session.decision(tool_input={"command": f"exit {number}"}) == ""
        session.announced(f"c{number}", f"exit {number}")
        session.ended(f"c{number}", code=2)
    assert session.decision(tool_input={"command": "x"}) == "deny"


def test_past_the_cap_prompts_are_held_back_those_of_subagents_too(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    session = Session(tmp_path, variables, session_cap=1.0)
    usage = {"model": "gpt-5.4", "inputTokens": 500_000, "apiCallId": "r"}
    session.write("session.usage_record", {"usage": usage})
    for changes in ({}, BELOW):
        told = json.loads(session.tell(SPOKEN, **changes))
        assert told["decision"] == "block"
        assert told["reason"].startswith("[runaway] ")


def test_half_a_cap_is_told_to_the_person_before_the_prompt(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    session = Session(tmp_path, variables, session_cap=2.3)
    usage = {"model": "gpt-5.4", "inputTokens": 250_000, "apiCallId": "r"}
    for number in range(2):
        session.write("session.usage_record", {"usage": {**usage, "apiCallId": f"r{number}"}})
    session.variables["COPILOT_LOADER_PID"] = "1"
    assert json.loads(session.tell(SPOKEN))["type"] == "progress"
    assert session.tell(SPOKEN) == ""


# Hooks of Claude Code's settings, which Copilot runs in a folder that is trusted.


def test_called_by_claude_codes_entry_it_is_still_copilot(session: Session) -> None:
    session.word = "claude"
    assert session.decisions(8) == [""] * 7 + ["deny"]
    assert session.state["harness"] == "copilot"


def test_called_by_both_entries_the_second_says_and_counts_nothing(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    own = str(tmp_path / ".copilot/hooks/runaway.json")
    session = Session(tmp_path, variables, wired=[own])
    told = []
    for _ in range(8):
        session.word = "copilot"
        told.append(session.decision())
        session.word = "claude"
        assert session.tell(CALL) == ""
    assert told == [""] * 7 + ["deny"]


def test_where_copilots_folder_was_moved_its_own_entry_is_not_run_and_the_other_counts(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    session = Session(tmp_path, variables, wired=[str(tmp_path / ".copilot/hooks/runaway.json")])
    variables["COPILOT_HOME"] = "/elsewhere"
    session.word = "claude"
    assert session.decisions(8)[-1] == "deny"


def test_an_edit_of_the_file_of_hooks_is_denied_where_nobody_can_be_asked(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    session = Session(tmp_path, variables, tamper=tamper(Path("/home/u")))
    patch = "*** Begin Patch\n*** Update File: /home/u/.copilot/hooks/runaway.json\n-runaway\n"
    assert session.decision(tool_name="Edit", tool_input=patch) == "deny"
    rewrite = {"path": "/p/.github/copilot/settings.json", "file_text": '{"disableAllHooks":true}'}
    assert session.decision(tool_name="Write", tool_input=rewrite) == "deny"
