from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runaway.guard.call import SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session
from runaway.installer.replay.readers import sessions

Read = Callable[..., tuple[Session, list[Event]]]

META = {"sessionId": "s1", "projectHash": "p", "startTime": "2026-01-02T03:04:05.000Z"}
USER = {"id": "m1", "timestamp": "2026-01-02T03:04:06.000Z", "type": "user", "content": "Go."}


def call(status: str, output: str) -> dict[str, Any]:
    response = {"functionResponse": {"response": {"output": output}}}
    return {
        "id": "run_shell_command__1",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "status": status,
        "result": [response],
    }


def answer(id: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": id,
        "timestamp": "2026-01-02T03:04:07.000Z",
        "type": "gemini",
        "model": "gemini-2.5-flash",
        "tokens": {"input": 1200, "cached": 200, "output": 30, "thoughts": 4, "total": 1234},
        "toolCalls": list(calls),
    }


def test_a_message_written_twice_counts_once(only_session: Read) -> None:
    made = call("success", "fine")
    session, events = only_session(META, USER, answer("m2"), answer("m2", made), answer("m2", made))
    assert session[:3] == ("gemini", "s1", "")
    assert len({event.id for event in events if isinstance(event, CallMade)}) == 1
    usage = {(e.id, e.usage.input, e.usage.output) for e in events if isinstance(e, Response)}
    assert usage == {("m2", 1000, 34)}


def test_a_history_repeated_after_compression_tells_nothing_new(only_session: Read) -> None:
    made = answer("m2", call("success", "fine"))
    _, events = only_session(META, USER, made, {"$set": {"messages": [USER, made]}})
    assert len([event for event in events if isinstance(event, (CallMade, Prompt))]) == 2


def test_what_the_harness_writes_as_the_user_is_no_prompt(only_session: Read) -> None:
    result = {"functionResponse": {"name": "glob", "response": {"output": "a"}}}
    context = {"text": "<session_context>\nThis is the Gemini CLI."}
    loop = {"text": "System: Potential loop detected. Details: x"}
    notes = [{**USER, "id": f"n{n}", "content": [part]} for n, part in enumerate((result, loop))]
    first = {"$set": {"messages": [{**USER, "id": "n9", "content": [context]}]}}
    _, events = only_session(META, first, {**USER, "content": [{"text": "Go."}]}, *notes)
    assert [event.id for event in events if isinstance(event, Prompt)] == ["m1"]


def test_an_old_session_is_one_document_on_many_lines(tmp_path: Path) -> None:
    path = tmp_path / "session-1.json"
    messages = [USER, answer("m2", call("success", "fine"))]
    path.write_text(json.dumps({**META, "messages": messages}, indent=2))
    (session,) = sessions(path)
    made = next(event for event in session.events if isinstance(event, CallMade))
    assert (made.tool, made.kind, made.round) == ("run_shell_command", SHELL, "m2")


def test_only_the_text_tells_of_an_exit_code(only_session: Read) -> None:
    _, events = only_session(
        META,
        answer("m2", call("success", "boom\nExit Code: 3")),
        answer("m3", call("success", "fine\nExit Code: 0")),
        answer("m4", call("error", "no such file")),
        answer("m5", call("cancelled", "")),
        answer("m6", call("error", "Tool execution blocked: no")),
    )
    outcomes = [event.outcome for event in events if isinstance(event, ResultSeen)]
    assert outcomes == ["failed", "ok", "failed", "neutral", "refused"]


def test_a_subagent_belongs_to_the_session_its_folder_is_named_after(only_session: Read) -> None:
    meta = {**META, "sessionId": "a7", "kind": "subagent"}
    session, _ = only_session(meta, name="chats/s1/session-2.jsonl")
    assert session[:3] == ("gemini", "s1", "a7")
