from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runaway.guard.call import SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session

Read = Callable[..., tuple[Session, list[Event]]]


def event(type: str, **data: Any) -> dict[str, Any]:
    return {"type": type, "data": data, "id": "e1", "timestamp": "2026-01-02T03:04:05.000Z"}


START = event("session.start", sessionId="s1", context={"cwd": "/repo"})


def complete(id: str, **data: Any) -> dict[str, Any]:
    return event("tool.execution_complete", toolCallId=id, **data)


def test_a_call_is_told_in_the_words_of_the_hook_that_was_not_there(only_session: Read) -> None:
    session, events = only_session(
        START,
        event("user.message", content="Build it."),
        event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "a"}),
    )
    assert session[:3] == ("copilot", "s1", "")
    prompt, made = events
    assert isinstance(prompt, Prompt)
    assert isinstance(made, CallMade)
    assert made[1:8] == ("c1", "Bash", SHELL, {"command": "a"}, "/repo", "", "")


def test_an_exit_code_is_a_failure_though_the_call_succeeded(only_session: Read) -> None:
    _, events = only_session(
        START,
        complete("c1", success=True, result={"content": "exit code 3 is what it says"}),
        complete("c2", success=True, shellExecution={"exitCode": 3}),
        complete("c4", success=False, error={"message": "no such file", "code": "failure"}),
        complete("c5", success=False, error={"message": "no", "code": "denied"}),
    )
    outcomes = [event.outcome for event in events if isinstance(event, ResultSeen)]
    assert outcomes == ["ok", "failed", "failed", "refused"]


def test_the_input_includes_what_the_cache_gave(only_session: Read) -> None:
    usage = {"model": "gpt-5.4", "inputTokens": 1400, "cacheReadTokens": 200, "apiCallId": "r1"}
    _, events = only_session(START, event("session.usage_record", usage=usage))
    (response,) = events
    assert isinstance(response, Response)
    assert (response.id, response.usage.input, response.usage.cache_read) == ("r1", 1200, 200)
