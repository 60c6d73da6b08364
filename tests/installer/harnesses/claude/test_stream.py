from __future__ import annotations

import json
from typing import Any

from runaway.installer.drill.outcome import Call, HookRun
from runaway.installer.harnesses.claude import stream


def printed(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in events)


def proposed(id: str, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/x"}}
    message = {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, block]}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None, **more}


def answered(id: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": id, "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}
HOOK = {
    "type": "system",
    "subtype": "hook_response",
    "hook_name": "PreToolUse:Read",
    "hook_event": "PreToolUse",
    "output": "{}\n",
    "stdout": "{}\n",
    "stderr": "",
    "exit_code": 0,
    "outcome": "success",
}
RESULT = {"type": "result", "terminal_reason": "hook_stopped", "result": ""}


def test_events_are_lines_and_only_those_that_are_whole_objects() -> None:
    stdout = b"a note\n" + printed(INIT) + b'["x"]\n\n{"type": "res'
    assert stream.events(stdout) == (INIT,)


def test_a_line_separator_inside_a_text_ends_no_event() -> None:
    event = {"type": "system", "text": "one\u2028two"}
    assert stream.events(printed(event)) == (event,)


def test_calls_carry_what_the_model_was_told() -> None:
    events = stream.events(
        printed(
            INIT,
            proposed("t1"),
            proposed("t2", parent_tool_use_id="t0"),
            proposed("t3"),
            answered("t2", [{"type": "text", "text": "a"}, {"type": "image"}]),
            answered("t1", "no such file", is_error=True),
        )
    )
    given = {"file_path": "/x"}
    assert stream.calls(events) == (
        Call("t1", "Read", given, "", "no such file", True),
        Call("t2", "Read", given, "t0", "a\n", False),
        Call("t3", "Read", given, "", None, False),
    )


def test_a_prompt_is_no_result() -> None:
    prompt = {"type": "user", "message": {"role": "user", "content": "x"}}
    assert stream.calls(stream.events(printed(prompt))) == ()


def test_hooks_are_those_that_have_answered() -> None:
    started = {**HOOK, "subtype": "hook_started"}
    events = stream.events(printed(started, HOOK))
    assert stream.hooks(events) == (HookRun("PreToolUse", "{}\n", "", 0, "success"),)


def test_session_and_result_are_empty_for_a_run_that_never_began() -> None:
    assert stream.session(()) == ""
    assert stream.result(()) == {}


def test_session_and_result_are_found() -> None:
    events = stream.events(printed(INIT, HOOK, RESULT, HOOK))
    assert stream.session(events) == "s-1"
    assert stream.result(events) == RESULT
