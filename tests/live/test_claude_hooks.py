"""What the guard's answers do in the real Claude Code: the facts that its dialect relies on."""

from __future__ import annotations

import itertools

import pytest

from runaway.installer.drill.scripts import delegating, distinct, looping
from runaway.installer.drill.server import ToolUse
from tests.support.live.claude_home import ClaudeHome, hooked
from tests.support.live.recorder import Recorder

BASH = ("--allowedTools", "Bash")
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "test: no more of this",
    }
}
STOP = {"continue": False, "stopReason": "test: enough"}


def shell(command: str) -> ToolUse:
    return ToolUse("Bash", {"command": command, "description": "a test"})


COUNTED = shell("echo x >> ran")


def times_run(home: ClaudeHome) -> int:
    ran = home.project / "ran"
    return len(ran.read_text().splitlines()) if ran.exists() else 0


def hook_traces(home: ClaudeHome) -> list[str]:
    kinds = (record.get("attachment", {}).get("type", "") for record in home.records())
    return [kind for kind in kinds if kind.startswith("hook_")]


def test_a_hook_that_answers_nothing_leaves_no_trace(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    home.run(looping(COUNTED, times=3), *BASH, keep_session=True)
    assert len(recorder.inputs()) == times_run(home) == 3
    assert hook_traces(home) == []


def test_an_empty_object_as_answer_is_written_into_the_transcript_on_every_call(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command("{}")))
    home.run(looping(COUNTED, times=3), *BASH, keep_session=True)
    assert times_run(home) == 3
    assert hook_traces(home) == ["hook_success"] * 3


def test_a_denied_call_is_not_run_and_the_model_is_told_why(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY, after=2)))
    run = home.run(looping(COUNTED, times=3), *BASH)
    assert times_run(home) == 2
    assert [call.result for call in run.denied("test: ")] == [
        "PreToolUse:Bash hook error: test: no more of this"
    ]


def test_deny_alone_never_ends_the_turn(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY)))
    run = home.run(looping(COUNTED), *BASH, max_requests=12)
    assert run.exhausted
    assert len(run.denied("test: ")) == 12
    assert times_run(home) == 0


def test_deny_with_continue_false_ends_the_turn_without_a_further_request(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY | STOP, after=1)))
    run = home.run(looping(COUNTED), *BASH)
    assert len(run.requests) == 2
    assert run.ended_by_hook
    assert times_run(home) == 1
    assert (run.exit_code, run.text, run.stderr) == (0, "", "")


def test_continue_false_alone_lets_the_call_run_before_the_turn_ends(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command(STOP)))
    run = home.run(looping(COUNTED), *BASH)
    assert run.ended_by_hook
    assert times_run(home) == 1


def test_ask_is_a_denial_where_nobody_attends(home: ClaudeHome, recorder: Recorder) -> None:
    ask = DENY["hookSpecificOutput"] | {"permissionDecision": "ask"}
    home.write(hooked(PreToolUse=recorder.command({"hookSpecificOutput": ask})))
    run = home.run(looping(COUNTED, times=2), *BASH)
    assert [call.result for call in run.calls] == ["test: no more of this"] * 2
    assert times_run(home) == 0
    assert {env["CLAUDE_CODE_SESSION_ATTENDED"] for env in recorder.environments()} == {"0"}


def test_anything_but_one_json_object_as_answer_lets_the_call_run(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=f"echo a note; {recorder.command(DENY | STOP)}"))
    home.run(looping(COUNTED, times=2), *BASH)
    assert times_run(home) == 2


@pytest.mark.parametrize(("code", "runs"), [(1, 1), (127, 1), (2, 0)])
def test_of_all_exit_codes_only_2_blocks_the_call(home: ClaudeHome, code: int, runs: int) -> None:
    home.write(hooked(PreToolUse=f"exit {code}"))
    home.run(looping(COUNTED, times=1), *BASH)
    assert times_run(home) == runs


def test_each_of_several_calls_in_one_answer_reaches_the_hook(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    script = distinct(lambda n: shell(f"echo {n}"), times=2, together=4)
    run = home.run(script, *BASH)
    seen = [given["tool_use_id"] for given in recorder.inputs()]
    assert sorted(seen) == sorted(call.id for call in run.calls)
    assert len(set(seen)) == 8


def test_a_subagent_calls_under_the_main_session_with_an_id_of_its_own(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    run = home.run(delegating(looping(COUNTED, times=3)), *BASH)
    agents = [given.get("agent_id", "") for given in recorder.inputs()]
    subagent = next(request.agent for request in run.requests if request.agent)
    assert agents == ["", subagent, subagent, subagent]
    assert {given["session_id"] for given in recorder.inputs()} == {run.session}


def test_a_stop_inside_a_subagent_ends_only_the_subagent(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY | STOP, after=3)))
    run = home.run(delegating(looping(COUNTED)), *BASH)
    assert times_run(home) == 2
    assert run.text == "Done."
    assert not run.ended_by_hook


def test_a_failing_edit_is_seen_by_post_tool_batch_and_not_by_pre_tool_use(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command(), PostToolBatch=recorder.command()))
    edit = failing_edit(home)
    home.run(looping(edit, times=3), "--allowedTools", "Edit")
    assert recorder.inputs("PreToolUse") == []
    batches = [given["tool_calls"] for given in recorder.inputs("PostToolBatch")]
    calls = list(itertools.chain.from_iterable(batches))
    assert [call["tool_name"] for call in calls] == ["Edit"] * 3
    assert all(call["tool_response"].startswith("<tool_use_error>") for call in calls)


def test_continue_false_after_a_batch_ends_the_turn(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PostToolBatch=recorder.command(STOP, after=2)))
    run = home.run(looping(failing_edit(home)), "--allowedTools", "Edit")
    assert run.ended_by_hook
    assert len(run.requests) == 3


def failing_edit(home: ClaudeHome) -> ToolUse:
    return ToolUse(
        "Edit",
        {"file_path": str(home.project / "absent"), "old_string": "a", "new_string": "b"},
    )
