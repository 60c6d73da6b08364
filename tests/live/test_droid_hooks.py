"""What a hook's answers do in the real Droid: the facts that the guard's dialect relies on."""

from __future__ import annotations

import json

from runaway.installer.drill.scripts import distinct, looping, replies
from runaway.installer.drill.server import Reply
from runaway.installer.harnesses.droid.drill import again
from tests.support.live.droid_home import DroidHome, execute
from tests.support.live.player import Answer, command
from tests.support.live.recorder import Recorder

HOOK = {"hookEventName": "PreToolUse"}
DENY = {**HOOK, "permissionDecision": "deny", "permissionDecisionReason": "test: no"}
ASK = {**DENY, "permissionDecision": "ask"}
NOTE = {
    "systemMessage": "test: note",
    "hookSpecificOutput": {**HOOK, "additionalContext": "test: note"},
}
ANSWERS = (
    Answer("nothing", "", 0, True),
    Answer("no JSON", "what?", 0, True),
    Answer("a note", json.dumps(NOTE), 0, True),
    Answer("deny", json.dumps({"hookSpecificOutput": DENY}), 0, False),
    Answer("ask", json.dumps({"hookSpecificOutput": ASK}), 0, True),
    Answer("decision", '{"decision": "block", "reason": "test: no"}', 0, True),
    Answer("exit code 2", "", 2, False),
    Answer("exit code 1", "", 1, True),
    Answer("exit code 127", "", 127, True),
)


def test_what_each_answer_and_each_exit_code_does(droid_home: DroidHome) -> None:
    droid_home.write({"PreToolUse": command(droid_home.root, ANSWERS)})
    calls = distinct(lambda number: execute(f"echo {number} >> ran"), times=len(ANSWERS))
    run = droid_home.run(calls)
    ran = (droid_home.project / "ran").read_text().split()
    expected = [answer.name for answer in ANSWERS if answer.runs]
    assert [ANSWERS[int(number)].name for number in ran] == expected
    assert [call.result for call in run.denied("test: ")] == ["Error: test: no"]
    assert "test: note" not in str(run.requests[-1].body) + run.text + run.stderr
    assert run.text == "Done."


def test_continue_false_ends_the_turn(droid_home: DroidHome) -> None:
    answer = {"hookSpecificOutput": DENY, "continue": False, "stopReason": "test: the end"}
    stops = Answer("stop", json.dumps(answer, separators=(",", ":")), 0, runs=False)
    droid_home.write({"PreToolUse": command(droid_home.root, [stops])})
    run = droid_home.run(looping(execute("echo x >> ran")))
    assert len(run.requests) == 1
    assert run.ended_by_hook
    assert not (droid_home.project / "ran").exists()


def test_what_a_hook_is_told_and_what_the_log_tells_by_then(
    droid_home: DroidHome, recorder: Recorder
) -> None:
    droid_home.write(dict.fromkeys(("PreToolUse", "UserPromptSubmit"), recorder.command()))
    call = execute("echo x")
    run = droid_home.run(replies(Reply((call, call))))
    first, second = recorder.inputs()  # no prompt: it is not told of headless
    assert first == second
    assert {key: first[key] for key in ("tool_name", "tool_input", "cwd", "session_id")} == {
        "tool_name": "Execute",
        "tool_input": call.input,
        "cwd": str(droid_home.project),
        "session_id": run.session,
    }
    assert "tool_use_id" not in first
    assert "FACTORY_UPSTREAM_CLIENT_TYPE" not in recorder.environments()[0]
    types = [
        [block["type"] for block in record["message"]["content"]]
        for record in droid_home.log(run.session)
        if record["type"] == "message" and not record["message"].get("visibility")
    ]
    assert types[1:3] == [["tool_use", "tool_use"], ["tool_result", "tool_result"]]


def test_droid_itself_ends_a_turn_of_equal_calls_unless_they_are_worded_anew(
    droid_home: DroidHome,
) -> None:
    assert len(droid_home.run(looping(execute("echo x"))).requests) == 6
    run = droid_home.run(again("echo x", times=9))
    assert (len(run.calls), run.text) == (9, "Done.")


def test_an_event_in_hooks_json_replaces_that_of_the_settings(
    droid_home: DroidHome, recorder: Recorder
) -> None:
    droid_home.write({"PreToolUse": recorder.command()})
    other = droid_home.settings.with_name("hooks.json")
    other.write_text('{"Stop": []}')
    droid_home.run(again("echo x", times=1))
    assert len(recorder.inputs()) == 1
    other.write_text('{"PreToolUse": []}')
    droid_home.run(again("echo x", times=1))
    assert len(recorder.inputs()) == 1
