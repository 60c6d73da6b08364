from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runaway.guard.call import SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session

Read = Callable[..., tuple[Session, list[Event]]]

START = {"type": "session", "version": 3, "id": "s1", "cwd": "/repo"}


def message(id: str, **about: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": id,
        "timestamp": "2026-01-02T03:04:05.000Z",
        "message": about,
    }


def result(id: str, text: str, *, error: bool) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return message(f"m-{id}", role="toolResult", toolCallId=id, content=content, isError=error)


def test_prompts_calls_results_and_costs_are_told(only_session: Read) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "make"}}
    usage = {"input": 5, "output": 2, "cacheRead": 4, "cacheWrite": 3, "cost": {"total": 0.5}}
    session, events = only_session(
        START,
        message("m1", role="user", content=[{"type": "text", "text": "Build it."}]),
        message("m2", role="assistant", content=[call], usage=usage, model="m", responseId="r1"),
        result("c1", "fine", error=False),
    )
    assert session[:3] == ("pi", "s1", "")
    prompt, response, made, ended = events
    assert isinstance(prompt, Prompt)
    assert isinstance(response, Response)
    assert (response.id, response.usage.dollars, response.usage.cache_read) == ("r1", 0.5, 4)
    assert isinstance(made, CallMade)
    assert made[1:8] == ("c1", "bash", SHELL, {"command": "make"}, "/repo", "m2", "")
    assert isinstance(ended, ResultSeen)
    assert ended.outcome == "ok"


def test_an_aborted_call_is_no_failure(only_session: Read) -> None:
    _, events = only_session(
        START,
        result("c1", "Command exited with code 2", error=True),
        result("c2", "partial output\n\nCommand aborted", error=True),
    )
    outcomes = [event.outcome for event in events if isinstance(event, ResultSeen)]
    assert outcomes == ["failed", "neutral"]
