"""Golden payloads of every event that is wired, as Cursor's own hook engine sends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import AFTER_CALLS, BEFORE_CALL, ON_PROMPT, ON_USAGE
from runaway.guard.dialects import cursor
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import file_name, peek
from tests.support.homes import tamper

NOW = 1_800_000_000.0
COMMON = {
    "conversation_id": "conv",
    "generation_id": "turn-1",
    "model": "claude-opus-4-5",
    "session_id": "conv",
    "cursor_version": "3.18.2",
    "workspace_roots": ["/home/u/app"],
    "user_email": None,
    "transcript_path": None,
}
CALL = {
    **COMMON,
    "hook_event_name": "preToolUse",
    "tool_name": "Shell",
    "tool_input": {"command": "npm test", "cwd": "", "timeout": 30000},
    "tool_use_id": "t1",
    "cwd": "",
}
RESULT = {
    **CALL,
    "hook_event_name": "postToolUse",
    "tool_output": '{"output":"1 failed in 0.31 s","exitCode":0}',
    "duration": 311.2,
}
FAILURE = {
    **CALL,
    "hook_event_name": "postToolUseFailure",
    "error_message": "Command failed",
    "failure_type": "error",
    "duration": 12,
    "is_interrupt": False,
}
SPOKEN = {
    **COMMON,
    "hook_event_name": "beforeSubmitPrompt",
    "prompt": "go on",
    "attachments": [],
    "composer_mode": "agent",
}
TOKENS = {
    "input_tokens": 20152,
    "output_tokens": 15,
    "cache_read_tokens": 8704,
    "cache_write_tokens": 0,
}
ANSWERED = {**COMMON, "hook_event_name": "afterAgentResponse", "text": "done", **TOKENS}
STOPPED = {**COMMON, "hook_event_name": "stop", "status": "completed", "loop_count": 0, **TOKENS}
DOLLARS = (20152 * 5 + 15 * 25 + 8704 * 0.5) / 1e6


class Session:
    """The guard called as a hook, one event after the other, a second apart."""

    def __init__(self, folder: Path, **policy: Any) -> None:
        self.policy = Policy(policy, str(folder))
        self.now = NOW
        self.word = "claude"

    def tell(self, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        self.now += 1
        data = json.dumps({**payload, **changes}).encode()
        answer = json.loads(reply(self.word, data, self.policy, self.now))
        assert isinstance(answer, dict)
        return answer

    def calls(self, count: int, payload: dict[str, Any] = CALL, **changes: Any) -> list[bool]:
        """Which of so many equal calls were denied; each that runs gives the same result."""
        denied = []
        for _ in range(count):
            changes["tool_use_id"] = f"t{self.now}"
            denied.append("permission" in self.tell(payload, **changes))
            after = FAILURE if denied[-1] else RESULT
            refused = {"failure_type": "permission_denied"} if denied[-1] else {}
            self.tell({**after, **refused, "tool_name": payload["tool_name"]}, **changes)
        return denied

    @property
    def state(self) -> dict[str, Any]:
        return peek(f"{self.policy.state}/sessions/{file_name('cursor', 'conv')}")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.mark.parametrize(
    ("payload", "stage"),
    [
        (CALL, BEFORE_CALL),
        (RESULT, AFTER_CALLS),
        (FAILURE, AFTER_CALLS),
        (SPOKEN, ON_PROMPT),
        (ANSWERED, ON_USAGE),
        (STOPPED, ON_USAGE),
    ],
)
@pytest.mark.parametrize("word", ["claude", "cursor"])
def test_every_event_gets_the_answer_without_an_opinion_whoever_registered_the_command(
    session: Session, payload: dict[str, Any], stage: str, word: str
) -> None:
    assert cursor.read(payload, NOW).stage == stage
    session.word = word
    assert session.tell(payload) == {}


def test_a_call_is_read_whole() -> None:
    call = cursor.read(CALL, NOW)
    assert (call.harness, call.session, call.prompt, call.id) == ("cursor", "conv", "turn-1", "t1")
    assert (call.tool, call.kind, call.cwd) == ("Shell", "shell", "/home/u/app")
    assert call.arguments == {"command": "npm test"}


@pytest.mark.parametrize(
    "changes",
    [
        {"workspace_roots": []},
        {"transcript_path": "/gone.jsonl"},
        {"tool_input": None},
        {"conversation_id": ""},
        {"model": None, "generation_id": None},
    ],
)
def test_what_may_be_missing_is_not_missed(session: Session, changes: dict[str, Any]) -> None:
    assert session.tell(CALL, **changes) == {}


@pytest.mark.parametrize("marks", [1, 2])
def test_byte_order_marks_of_windows_are_skipped(session: Session, marks: int) -> None:
    data = ("\ufeff" * marks + json.dumps(CALL)).encode()
    assert reply("claude", data, session.policy, NOW) == b"{}"


def test_a_repeated_call_is_denied_with_both_texts_and_then_the_whole_turn(
    session: Session,
) -> None:
    assert session.calls(12) == [False] * 5 + [True] * 7
    other = session.tell(CALL, tool_input={"command": "ls"}, tool_use_id="other")
    assert other["permission"] == "deny"
    assert other["user_message"] == other["agent_message"]
    assert other["user_message"].startswith("[runaway] This turn should have ended")


def test_a_new_prompt_lifts_it(session: Session) -> None:
    session.calls(12)
    session.tell(SPOKEN, generation_id="turn-2")
    assert session.tell(CALL, generation_id="turn-2", tool_use_id="next") == {}


def test_a_turn_without_a_prompt_event_is_known_by_its_id(session: Session) -> None:
    session.calls(8)
    assert session.tell(CALL, generation_id="turn-2", tool_use_id="next") == {}


def test_the_same_call_told_twice_counts_once_and_gets_one_answer(session: Session) -> None:
    for number in range(5):
        for _ in range(2):
            assert "permission" not in session.tell(CALL, tool_use_id=f"t{number}")
            session.tell(RESULT, tool_use_id=f"t{number}")
    first = session.tell(CALL, tool_use_id="t6")
    assert first["permission"] == "deny"
    assert session.tell(CALL, tool_use_id="t6") == first


def test_reading_a_file_part_by_part_is_no_loop_because_the_part_is_not_told(
    session: Session,
) -> None:
    for number in range(30):
        changes = {
            "tool_name": "Read",
            "tool_input": {"file_path": "/a"},
            "tool_use_id": f"t{number}",
        }
        assert session.tell(CALL, **changes) == {}
        session.tell(RESULT, **changes, tool_output=f"part {'x' * number}")


def test_reading_the_same_part_again_and_again_is_one(session: Session) -> None:
    changes = {"tool_name": "Read", "tool_input": {"file_path": "/a"}}
    assert True in session.calls(8, {**CALL, **changes})


def test_keystrokes_whose_text_is_not_told_are_no_loop(session: Session) -> None:
    changes = {"tool_name": "WriteShellStdin", "tool_input": {"shell_id": 1, "chars_length": 1}}
    assert True not in session.calls(30, {**CALL, **changes})


NOT_FAILED = [
    {"failure_type": "permission_denied", "error_message": "[runaway] the same call"},
    {"is_interrupt": True},
    {"error_message": "Command rejected"},
]
FAILED = [
    (FAILURE, {}),
    (FAILURE, {"failure_type": "timeout"}),
    (FAILURE, {"failure_type": "permission_denied"}),
    (RESULT, {"tool_output": '{"permissionDenied":true,"error":"x"}'}),
    (RESULT, {"tool_output": '{"output":"x","exitCode":1}'}),
    (RESULT, {"tool_output": '{"content":[],"isError":true}', "tool_name": "MCP:ask"}),
    (RESULT, {"tool_output": '{"error":"no such server"}', "tool_name": "MCP:ask"}),
]


def failing(session: Session, count: int, ended: dict[str, Any], **changes: Any) -> bool:
    """Is the call after so many different ones that ended so denied?"""
    for number in range(count):
        call = {"tool_use_id": f"f{number}", "tool_input": {"command": f"exit {number}"}}
        session.tell(CALL, **call)
        session.tell(ended, **{**changes, **call})
    return "permission" in session.tell(CALL, tool_use_id="last", tool_input={"command": "x"})


@pytest.mark.parametrize(("ended", "changes"), FAILED)
def test_failing_rounds_are_stopped(
    session: Session, ended: dict[str, Any], changes: dict[str, Any]
) -> None:
    assert failing(session, 6, ended, **changes)


@pytest.mark.parametrize("changes", NOT_FAILED)
def test_denials_interrupts_and_what_a_person_refused_are_no_failures(
    session: Session, changes: dict[str, Any]
) -> None:
    assert not failing(session, 12, FAILURE, **changes)


@pytest.mark.parametrize("output", ['{"rejected":true}', '{"output":"","exitCode":1}'])
def test_a_rejected_call_and_a_search_without_a_match_are_no_failures(
    session: Session, output: str
) -> None:
    assert not failing(session, 12, RESULT, tool_output=output)


def test_parallel_calls_that_fail_together_are_one_round(session: Session) -> None:
    for batch in range(5):
        calls = [
            {"tool_use_id": f"{batch}.{n}", "tool_input": {"command": f"{batch} {n}"}}
            for n in range(4)
        ]
        for call in calls:
            session.tell(CALL, **call)
        for call in calls:
            session.tell(FAILURE, **call)
    assert session.tell(CALL, tool_use_id="last", tool_input={"command": "x"}) == {}


def test_a_call_that_no_hook_announced_is_counted_by_its_result(session: Session) -> None:
    session.tell(CALL)
    read = {"tool_name": "ReadFile", "tool_input": {"path": "/gone"}}
    answers = [session.tell(FAILURE, **read, tool_use_id=f"r{number}") for number in range(12)]
    assert "additional_context" in answers[-1]
    assert session.tell(CALL, tool_use_id="last")["permission"] == "deny"


def test_money_is_unknown_until_tokens_are_told(session: Session) -> None:
    session.tell(SPOKEN)
    session.tell(CALL)
    session.tell({**COMMON, "hook_event_name": "stop", "status": "completed", "loop_count": 0})
    assert not session.state.get("spend", {}).get("total")


def test_a_turn_is_paid_once_though_two_events_tell_its_tokens(session: Session) -> None:
    session.tell(ANSWERED)
    session.tell(STOPPED)
    assert session.state["spend"]["total"] == pytest.approx(DOLLARS)
    session.tell(STOPPED, generation_id="turn-2")
    assert session.state["spend"]["total"] == pytest.approx(2 * DOLLARS)


def test_tokens_of_a_turn_that_grow_are_paid_up_to_the_largest(session: Session) -> None:
    session.tell(ANSWERED, output_tokens=10)
    session.tell(ANSWERED, output_tokens=1000)
    session.tell(STOPPED, output_tokens=1000)
    expected = DOLLARS + (1000 - 15) * 25 / 1e6
    assert session.state["spend"]["total"] == pytest.approx(expected)


def test_the_model_behind_auto_is_unknown_and_priced_as_such(session: Session) -> None:
    session.tell(STOPPED, model="default")
    assert session.state["spend"]["unknown"] == "default"
    assert session.state["spend"]["total"] > DOLLARS


def test_past_the_cap_prompts_are_held_back_and_calls_are_denied(tmp_path: Path) -> None:
    session = Session(tmp_path, session_cap=DOLLARS)
    assert session.tell(SPOKEN) == {}
    session.tell(STOPPED)
    prompt = session.tell(SPOKEN, generation_id="turn-2")
    assert prompt["continue"] is False
    assert "spend.session" in prompt["user_message"]
    call = session.tell(CALL, generation_id="turn-2")
    assert call["permission"] == "deny"
    assert "spend.session" in call["user_message"]


def test_below_the_cap_a_person_is_told_at_half_of_it_and_nothing_is_held_back(
    tmp_path: Path,
) -> None:
    session = Session(tmp_path, session_cap=2.9 * DOLLARS)
    session.tell(STOPPED)
    assert session.tell(SPOKEN, generation_id="turn-2") == {}
    session.tell(STOPPED, generation_id="turn-1b", input_tokens=12000)
    assert set(session.tell(SPOKEN, generation_id="turn-2")) == {"additional_context"}


def test_without_a_cap_of_the_users_money_alone_does_not_hold_a_prompt_back(
    session: Session,
) -> None:
    for number in range(50):
        session.tell(STOPPED, generation_id=f"turn {number}", output_tokens=100_000)
    assert session.state["spend"]["total"] > 100
    assert "continue" not in session.tell(SPOKEN, generation_id="next")


def test_a_subagent_counts_apart_and_its_turn_is_no_prompt(session: Session) -> None:
    session.calls(4)
    session.tell(CALL, parent_tool_call_id="task", generation_id="sub", tool_use_id="s1")
    assert session.calls(2) == [False, True]


def test_an_edit_of_cursors_own_hooks_is_denied_because_nobody_can_be_asked(tmp_path: Path) -> None:
    session = Session(tmp_path, tamper=tamper(Path("/home/u")))
    edit = {
        "tool_name": "Delete",
        "tool_input": {"file_path": "/home/u/.cursor/hooks.json"},
    }
    assert session.tell(CALL, **edit)["permission"] == "deny"


def test_observing_answers_nothing(tmp_path: Path) -> None:
    session = Session(tmp_path, observe=True)
    assert session.calls(20) == [False] * 20
