"""What a hook's answers do in the real Copilot CLI: the facts that the guard's dialect relies on."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from runaway.installer.drill.scripts import distinct, looping, replies
from runaway.installer.drill.server import Reply, Text, ToolUse
from tests.support.live.copilot_home import CopilotHome
from tests.support.live.player import Answer, command
from tests.support.live.recorder import Recorder

HOOK = {"hookEventName": "PreToolUse"}
DENY = {**HOOK, "permissionDecision": "deny", "permissionDecisionReason": "test: no"}
ASK = {**DENY, "permissionDecision": "ask"}
NOTE = {**HOOK, "additionalContext": "test: context"}
PROGRESS = {"message": "test: shown", "type": "progress"}
ANSWERS = (
    Answer("nothing", "", 0, True),
    Answer("no JSON", "what?", 0, True),
    Answer("a note", json.dumps({"hookSpecificOutput": NOTE}), 0, True),
    Answer(
        "a line for the person",
        json.dumps(PROGRESS) + "\n" + json.dumps({"hookSpecificOutput": NOTE}),
        0,
        True,
    ),
    Answer("deny", json.dumps({"hookSpecificOutput": DENY}), 0, False),
    Answer("ask, where nobody is", json.dumps({"hookSpecificOutput": ASK}), 0, False),
    Answer("continue", '{"continue": false, "stopReason": "test: stop"}', 0, True),
    Answer("decision", '{"decision": "block", "reason": "test: no"}', 0, True),
    Answer("exit code 2", "", 2, False),
    Answer("exit code 1", "", 1, False),
    Answer("exit code 127", "", 127, False),
)


def test_what_each_answer_and_each_exit_code_does(copilot_home: CopilotHome) -> None:
    copilot_home.write({"PreToolUse": command(copilot_home.root, ANSWERS)})
    calls = distinct(
        lambda number: ToolUse("bash", {"command": f"echo {number} >> ran"}), times=len(ANSWERS)
    )
    run = copilot_home.run(calls)
    ran = (copilot_home.project / "ran").read_text().split()
    expected = [answer.name for answer in ANSWERS if answer.runs]
    assert [ANSWERS[int(number)].name for number in ran] == expected
    assert str(run.requests[-1].body).count("test: context") == 2
    assert run.text.count("test: shown") == 1
    assert [call.result for call in run.denied("test: ")] == ["Denied by preToolUse hook: test: no"]
    assert "unable to ask user for confirmation): test: no" in str(run.requests[-1].body)
    assert len(run.requests) == len(ANSWERS) + 1  # none of them has ended the turn


def test_what_a_hook_is_told_and_what_the_log_tells_of_it(
    copilot_home: CopilotHome, recorder: Recorder
) -> None:
    copilot_home.write(dict.fromkeys(("PreToolUse", "UserPromptSubmit"), recorder.command()))
    call = ToolUse("bash", {"command": "echo x", "description": "say it"})
    patch = ToolUse("create", {"path": str(copilot_home.project / "a"), "file_text": "x"})
    run = copilot_home.run(replies(Reply((call, call, patch)), Reply((Text("Done."),))))
    [prompt] = recorder.inputs("UserPromptSubmit")
    told = recorder.inputs("PreToolUse")
    common = {"cwd": str(copilot_home.project), "session_id": run.session}
    assert {key: prompt[key] for key in common} == common
    expected = {"tool_name": "Bash", "tool_input": call.input, "hook_event_name": "PreToolUse"}
    assert told[0] == told[1] == {**common, **expected, "timestamp": told[0]["timestamp"]}
    assert told[2]["tool_name"] == "Write"
    environment = recorder.environments()[-1]
    assert "COPILOT_LOADER_PID" not in environment
    assert "COPILOT_PROVIDER_API_KEY" not in environment
    [put] = [
        event["data"]["input"]
        for event in copilot_home.events(run.session)
        if event["type"] == "hook.start" and event["data"]["hookType"] == "preToolUse"
    ]
    assert [call["name"] for call in put["toolCalls"]] == ["bash", "bash", "create"]
    assert [call["id"] for call in put["toolCalls"]] == [call.id for call in run.calls]
    assert put["toolCalls"][0]["args"] == call.input
    assert put["cwd"] == common["cwd"]


def test_a_blocked_prompt_sends_no_request(copilot_home: CopilotHome) -> None:
    block = json.dumps({"decision": "block", "reason": "test: past the cap"})
    copilot_home.write({"UserPromptSubmit": f"echo {shlex.quote(block)}"})
    run = copilot_home.run(replies())
    assert run.requests == ()
    assert "test: past the cap" in run.stderr


def test_a_line_before_a_prompt_is_shown_and_the_prompt_sent(copilot_home: CopilotHome) -> None:
    copilot_home.write({"UserPromptSubmit": f"echo {shlex.quote(json.dumps(PROGRESS))}"})
    run = copilot_home.run(replies())
    assert len(run.requests) == 1
    assert "test: shown" in run.text


def test_hooks_of_claude_codes_project_file_run_once_the_folder_is_trusted(
    copilot_home: CopilotHome, recorder: Recorder, tmp_path: Path
) -> None:
    own = Recorder(tmp_path / "own")
    copilot_home.write({"PreToolUse": own.command()})
    file = copilot_home.project / ".claude/settings.json"
    file.parent.mkdir()
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": recorder.command()}]}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
    once = looping(ToolUse("bash", {"command": "echo x"}), times=1)
    copilot_home.run(once)
    assert (len(own.inputs()), len(recorder.inputs())) == (1, 0)
    copilot_home.trust()
    copilot_home.run(once)
    assert (len(own.inputs()), len(recorder.inputs())) == (2, 1)
    assert own.inputs()[1] == recorder.inputs()[0]
