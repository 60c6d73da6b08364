from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from runaway.guard.call import EDIT, SHELL
from runaway.installer.replay.events import CallMade, Event, Prompt, Response, ResultSeen, Session

Read = Callable[..., tuple[Session, list[Event]]]


def line(type: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-01-02T03:04:05.000Z", "type": type, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    about = {"id": "t1", "cli_version": "0.171.0", "source": "cli", "cwd": "/repo", **more}
    return line("session_meta", about)


def function(name: str, id: str, **arguments: Any) -> dict[str, Any]:
    about = {"type": "function_call", "name": name, "call_id": id}
    return line("response_item", {**about, "arguments": json.dumps(arguments)})


def output(id: str, text: str) -> dict[str, Any]:
    return line("response_item", {"type": "function_call_output", "call_id": id, "output": text})


def test_a_shell_call_is_told_as_the_hook_tells_it(only_session: Read) -> None:
    patch = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "*** End"}
    session, events = only_session(
        meta(),
        function("exec_command", "c1", cmd="make", workdir="/x"),
        line("response_item", patch),
    )
    assert session[:3] == ("codex", "t1", "")
    told = [(e.tool, e.kind, e.arguments) for e in events if isinstance(e, CallMade)]
    assert told == [
        ("Bash", SHELL, {"command": "make"}),
        ("apply_patch", EDIT, {"command": "*** End"}),
    ]


def test_what_reaches_no_hook_is_left_out(only_session: Read) -> None:
    script = {"type": "custom_tool_call", "name": "exec", "call_id": "c3", "input": "await …"}
    _, events = only_session(
        meta(),
        function("write_stdin", "c1", session_id=1, chars=""),
        function("wait", "c2", cell_id=1),
        line("response_item", script),
        line("response_item", {"type": "web_search_call", "id": "c4"}),
    )
    assert not [event for event in events if isinstance(event, CallMade)]


def test_the_exit_code_in_the_output_tells_the_outcome(only_session: Read) -> None:
    _, events = only_session(
        meta(),
        output("c1", "Chunk ID: a\nProcess exited with code 0\nOutput:\nfine"),
        output("c2", "Exit code: 2\nWall time: 1 seconds\nOutput:\nExit code: 0"),
        output("c3", "Command blocked by PreToolUse hook: no. Command: make"),
    )
    outcomes = [event.outcome for event in events if isinstance(event, ResultSeen)]
    assert outcomes == ["ok", "failed", "refused"]


def test_calls_before_any_output_are_one_round(only_session: Read) -> None:
    _, events = only_session(
        meta(),
        function("exec_command", "c1", cmd="a"),
        function("exec_command", "c2", cmd="b"),
        output("c1", ""),
        output("c2", ""),
        function("exec_command", "c3", cmd="c"),
    )
    first, second, third = [event.round for event in events if isinstance(event, CallMade)]
    assert first == second != third


def test_running_totals_are_told_as_differences(only_session: Read) -> None:
    def total(tokens: int, last: int) -> dict[str, Any]:
        info = {
            "total_token_usage": {"input_tokens": tokens, "output_tokens": 0},
            "last_token_usage": {"input_tokens": last, "output_tokens": 0},
        }
        return line("event_msg", {"type": "token_count", "info": info})

    _, events = only_session(
        meta(cli_version="0.118.0"), total(110, 10), total(110, 10), total(150, 40)
    )
    assert [e.usage.input for e in events if isinstance(e, Response)] == [10, 40]


def test_a_spawned_thread_is_an_agent_of_its_root_session(only_session: Read) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "root", "depth": 1}}}
    asked = line("event_msg", {"type": "user_message", "message": "Look."})
    session, events = only_session(meta(id="t2", source=spawn), asked)
    assert session[:3] == ("codex", "root", "t2")
    assert not [event for event in events if isinstance(event, Prompt) and event.human]
