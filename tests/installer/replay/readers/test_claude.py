from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runaway.guard.call import SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session

Read = Callable[..., tuple[Session, list[Event]]]


def record(type: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": type, "content": content, **more.pop("message", {})}
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": type,
        "message": message,
        "sessionId": "s1",
        "cwd": "/repo",
        "uuid": "u1",
        "timestamp": "2026-01-02T03:04:05.000Z",
        **more,
    }


def call(id: str = "toolu_1", message: str = "msg_1") -> dict[str, Any]:
    block = {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}
    usage = {"input_tokens": 7, "output_tokens": 3, "cache_creation_input_tokens": 2}
    about = {"id": message, "model": "claude-opus-4-5", "usage": usage}
    return record("assistant", [block], message=about)


def ended(text: str, *, error: bool, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text, "is_error": error}
    return record("user", [block], **more)


def test_a_call_has_the_words_of_the_hook_and_its_message_is_its_round(only_session: Read) -> None:
    session, events = only_session(record("user", "Build it."), call())
    assert session[:3] == ("claude", "s1", "")
    made = events[-1]
    assert isinstance(made, CallMade)
    assert made[1:8] == ("toolu_1", "Bash", SHELL, {"command": "make"}, "/repo", "msg_1", "")


def test_every_record_of_a_response_tells_its_usage_under_the_same_id(only_session: Read) -> None:
    _, events = only_session(call(), call("toolu_2"))
    told = [event for event in events if isinstance(event, Response)]
    assert [(event.id, event.usage.input) for event in told] == [("msg_1", 7), ("msg_1", 7)]


def test_results_are_ok_failed_or_no_evidence(only_session: Read) -> None:
    refused = "The user doesn't want to proceed with this tool use."
    blocked = "PreToolUse:Bash hook error: [check]: no"
    sibling = "<tool_use_error>Sibling tool call errored</tool_use_error>"
    _, events = only_session(
        ended("done", error=False),
        ended("Exit code 2", error=True),
        ended(refused, error=True),
        ended(blocked, error=True),
        ended(sibling, error=True),
        ended("no", error=True, toolDenialKind="permission-rule"),
    )
    outcomes = [event.outcome for event in events if isinstance(event, ResultSeen)]
    assert outcomes == ["ok", "failed", "neutral", "refused", "neutral", "refused"]


def test_only_what_a_person_wrote_is_a_human_prompt(only_session: Read) -> None:
    _, events = only_session(
        record("user", "Build it.", uuid="1"),
        record("user", "<task-notification>done</task-notification>", uuid="2"),
        record("user", "Caveat: …", uuid="3", isMeta=True),
        record("user", "This session is being continued …", uuid="4", isCompactSummary=True),
    )
    assert [(e.id, e.human) for e in events if isinstance(e, Prompt)] == [("1", True), ("2", False)]


def test_a_subagents_file_is_another_agent_of_the_same_session(only_session: Read) -> None:
    marks = {"isSidechain": True, "agentId": "a7"}
    session, events = only_session({**record("user", "Look for it."), **marks}, {**call(), **marks})
    assert session[:3] == ("claude", "s1", "a7")
    assert not [event for event in events if isinstance(event, Prompt)]


def test_a_subagents_call_inside_its_parents_file_keeps_its_agent(only_session: Read) -> None:
    inner = {**call("toolu_9", "msg_9"), "cwd": "/sub"}
    del inner["sessionId"]
    wrapped = record("user", "x") | {
        "type": "progress",
        "data": {"message": inner, "type": "agent_progress", "agentId": "a7"},
    }
    del wrapped["message"]
    session, events = only_session(record("user", "Go."), wrapped)
    made = events[-1]
    assert session.agent == ""
    assert isinstance(made, CallMade)
    assert (made.id, made.agent) == ("toolu_9", "a7")


def test_records_of_other_types_and_torn_lines_tell_nothing(only_session: Read) -> None:
    _, events = only_session(
        record("user", "Go.", uuid="1"), {"type": "summary", "summary": '"role":"user"'}, [1], "x"
    )
    assert len(events) == 1
