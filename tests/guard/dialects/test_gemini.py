"""Golden payloads of both events that are wired, as Gemini CLI 0.61 sends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.attendance import runs_headless
from runaway.guard.call import (
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
    ON_PROMPT,
    OTHER,
    SHELL,
    STOP,
    Call,
)
from runaway.guard.dialects import gemini
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import file_name, peek
from tests.support.homes import tamper

NOW = 1_800_000_000.0
COMMON = {
    "session_id": "148d6bed-9238-4a36-912e-44b4f9a07d3e",
    "transcript_path": "",
    "cwd": "/home/u/project",
    "timestamp": "2026-11-30T16:57:33.961Z",
}
CALL = {
    **COMMON,
    "hook_event_name": "BeforeTool",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "npm test ", "description": "test it"},
}
SPOKEN = {**COMMON, "hook_event_name": "BeforeAgent", "prompt": "go on"}


class Session:
    """The guard called as a hook, one event after the other, a second apart."""

    def __init__(self, folder: Path, **policy: Any) -> None:
        self.policy = Policy(policy, str(folder))
        self.now = NOW

    def tell(self, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """The answer; {} for silence, which is the answer without an opinion."""
        self.now += 1
        told = {"timestamp": f"2027-01-15T08:{self.now}Z", **changes}
        data = reply("gemini", json.dumps({**payload, **told}).encode(), self.policy, self.now)
        answer = json.loads(data or b"{}")
        assert isinstance(answer, dict)
        return answer

    @property
    def state(self) -> dict[str, Any]:
        name = file_name("gemini", COMMON["session_id"])
        return peek(f"{self.policy.state}/sessions/{name}")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_a_call_is_read_whole() -> None:
    call = gemini.read(CALL, NOW)
    assert (call.harness, call.stage, call.session) == ("gemini", BEFORE_CALL, COMMON["session_id"])
    assert (call.tool, call.kind, call.cwd) == ("run_shell_command", SHELL, "/home/u/project")
    assert call.arguments == {"command": "npm test"}
    assert (call.agent, call.prompt, call.attended) == ("", "", False)


@pytest.mark.parametrize(
    ("tool", "kind"), [("replace", EDIT), ("invoke_agent", "spawn"), ("google_web_search", "web"),
                       ("read_background_output", "wait"), ("glob", OTHER)],
)  # fmt: skip
def test_tools_have_kinds(tool: str, kind: str) -> None:
    assert gemini.read({**CALL, "tool_name": tool}, NOW).kind == kind


def test_what_stands_for_an_id_tells_equal_calls_apart_and_calls_told_twice_not() -> None:
    first, again = gemini.read(CALL, NOW), gemini.read(CALL, NOW + 1)
    later = gemini.read({**CALL, "timestamp": "2026-11-30T16:57:33.962Z"}, NOW)
    other = gemini.read({**CALL, "tool_input": {"command": "ls"}}, NOW)
    assert first.identity == again.identity
    assert len({first.identity, later.identity, other.identity}) == 3
    assert first.identity.startswith("~")
    assert gemini.read({**CALL, "timestamp": None}, NOW).identity == ""


def test_a_prompt_clears_the_counts(session: Session) -> None:
    for _ in range(7):
        session.tell(CALL)
    assert session.state["agents"][""]["calls"]
    assert session.tell(SPOKEN) == {}
    assert session.state["agents"] == {"": {"calls": [], "count": 0, "seen": session.now}}


def test_a_run_with_its_prompt_in_an_option_is_given_no_other(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gemini, "single_run", lambda: "4711")
    for number in range(4):
        session.tell(SPOKEN, timestamp=f"T{number}")
        session.tell(CALL)
    assert session.state["laps"] == 3
    monkeypatch.setattr(gemini, "single_run", lambda: "4712")
    session.tell(SPOKEN, timestamp="T9")
    assert session.state["laps"] == 0, "another run"


def test_a_prompt_that_two_hooks_tell_is_one(session: Session) -> None:
    session.tell(SPOKEN, timestamp="T")
    session.tell(CALL)
    session.tell(SPOKEN, timestamp="T")
    assert len(session.state["agents"][""]["calls"]) == 1


def test_a_repeated_call_is_denied_and_then_ends_the_turn(session: Session) -> None:
    answers = [session.tell(CALL) for _ in range(20)]
    assert [answer.get("decision") for answer in answers] == [None] * 7 + ["deny"] * 13
    assert all(answer["reason"].startswith("[runaway]") for answer in answers[7:])
    assert [answer.get("continue") for answer in answers] == [None] * 19 + [False]
    assert answers[-1]["stopReason"] == answers[-1]["reason"]


@pytest.mark.parametrize(
    "changes",
    [
        {"transcript_path": None},
        {"transcript_path": "/gone.jsonl"},
        {"tool_input": None},
        {"timestamp": 5},
        {"cwd": None},
    ],
)
def test_what_may_be_missing_is_not_missed(session: Session, changes: dict[str, Any]) -> None:
    assert session.tell(CALL, **changes) == {}


def test_past_the_cap_of_a_day_prompts_are_held_back(tmp_path: Path) -> None:
    session = Session(tmp_path, day_cap=1e-9)
    session.policy.state = str(tmp_path)
    log = tmp_path / "chats" / "session-1.jsonl"
    log.parent.mkdir()
    tokens = {"input": 1000, "output": 10, "cached": 0, "thoughts": 0, "tool": 0}
    record = {"id": "m", "timestamp": "2027-01-15T08:00:00Z", "type": "gemini", "tokens": tokens}
    log.write_text(json.dumps({**record, "model": "gemini-2.5-flash"}) + "\n")
    answer = session.tell(SPOKEN, transcript_path=str(log))
    assert answer["decision"] == "deny"
    assert "spend.machine_day" in answer["reason"]


def test_a_write_to_its_settings_that_takes_the_guard_out_is_held_back(tmp_path: Path) -> None:
    session = Session(tmp_path, tamper=tamper(Path("/home/u")))
    write = {
        "file_path": "/home/u/.gemini/settings.json",
        "content": '{"hooksConfig": {"enabled": 0}}',
    }
    answer = session.tell(CALL, tool_name="write_file", tool_input=write)
    assert answer["decision"] == "deny"
    other = {**write, "content": '{"theme": "dark"}'}
    assert session.tell(CALL, tool_name="write_file", tool_input=other) == {}


def answered(level: int, event: str = "BeforeTool", stage: str = BEFORE_CALL) -> dict[str, Any]:
    call = Call("gemini", "s", event=event, stage=stage)
    answer = json.loads(gemini.answer(call, level, "why é"))
    assert isinstance(answer, dict)
    return answer


def test_answers_stand_at_the_top_level() -> None:
    assert answered(NOTE) == {"systemMessage": "why é"}
    assert answered(ASK) == {"decision": "ask", "reason": "why é", "systemMessage": "why é"}
    assert answered(DENY) == {"decision": "deny", "reason": "why é"}
    assert answered(STOP) == {**answered(DENY), "continue": False, "stopReason": "why é"}


def test_with_a_prompt_a_note_reaches_the_model_too() -> None:
    hook = {"hookEventName": "BeforeAgent", "additionalContext": "why é"}
    assert answered(NOTE, "BeforeAgent", ON_PROMPT) == {
        "systemMessage": "why é",
        "hookSpecificOutput": hook,
    }


@pytest.mark.parametrize(
    ("word", "prevents"),
    [
        ("-p", True),
        ("-pgo", True),
        ("-yp", True),
        ("--prompt", True),
        ("--prompt=go", True),
        ("--prompt-interactive", False),
        ("-i", False),
        ("-y", False),
        ("--approval-mode=plan", False),
    ],
)
def test_options_that_make_a_run_one_without_a_person(word: str, prevents: bool) -> None:
    assert runs_headless(word) is prevents


@pytest.mark.parametrize("name", ["CI", "GITHUB_ACTIONS"])
def test_where_it_asks_nobody_even_on_a_terminal_nobody_attends(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(gemini, "at_terminal", lambda _: True)
    monkeypatch.setattr(gemini, "variable", lambda asked: "true" if asked == name else None)
    assert not gemini.read(CALL, NOW).attended
    monkeypatch.setattr(gemini, "variable", lambda _: None)
    assert gemini.read(CALL, NOW).attended
