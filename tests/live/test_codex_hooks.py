"""What a hook's answers do in the real Codex: the facts that the guard's dialect relies on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from shlex import quote
from typing import Any

import pytest

from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import looping, replies
from runaway.installer.drill.server import Reply, Text, ToolUse
from runaway.installer.harnesses import release
from tests.support.live.codex_home import CodexHome, group
from tests.support.live.recorder import Recorder

BYPASS = "--dangerously-bypass-hook-trust"
COUNTED = ToolUse("exec_command", {"cmd": "echo x >> ran"})
HOOK = {"hookEventName": "PreToolUse"}
DENY = {
    "hookSpecificOutput": {
        **HOOK,
        "permissionDecision": "deny",
        "permissionDecisionReason": "test: no more of this",
    }
}


def answered(home: CodexHome, command: str, event: str = "PreToolUse", times: int = 3) -> DrillRun:
    home.write({event: [group(command)]})
    return home.run(looping(COUNTED, times=times), BYPASS)


def times_run(home: CodexHome) -> int:
    ran = home.project / "ran"
    return len(ran.read_text().splitlines()) if ran.exists() else 0


def test_a_hook_that_answers_nothing_lets_the_call_run(
    any_codex_home: CodexHome, recorder: Recorder
) -> None:
    answered(any_codex_home, recorder.command())
    assert len(recorder.inputs()) == times_run(any_codex_home) == 3


def test_a_denied_call_is_not_run_and_the_model_is_told_why(
    any_codex_home: CodexHome, recorder: Recorder
) -> None:
    run = answered(any_codex_home, recorder.command(DENY, after=2))
    assert times_run(any_codex_home) == 2
    [denied] = run.denied("test: ")
    assert denied.result == (
        "Command blocked by PreToolUse hook: test: no more of this. Command: echo x >> ran"
    )


VOID: dict[str, Mapping[str, Any]] = {
    "continue": {"continue": False},
    "stop reason": {"stopReason": "enough"},
    "unknown key": {"x": 1},
    "unknown key inside": {"hookSpecificOutput": {**DENY["hookSpecificOutput"], "x": 1}},
    "suppressed output": {"suppressOutput": True},
}


@pytest.mark.parametrize("extra", VOID.values(), ids=VOID)
def test_a_denial_with_one_key_too_many_is_void(
    codex_home: CodexHome, recorder: Recorder, extra: Mapping[str, Any]
) -> None:
    run = answered(codex_home, recorder.command({**DENY, **extra}), times=2)
    assert times_run(codex_home) == 2
    assert {hook.outcome for hook in run.hooks} == {"Failed"}


def test_ask_lets_the_call_run(codex_home: CodexHome, recorder: Recorder) -> None:
    ask = {"hookSpecificOutput": {**DENY["hookSpecificOutput"], "permissionDecision": "ask"}}
    answered(codex_home, recorder.command(ask), times=2)
    assert times_run(codex_home) == 2


def test_a_note_reaches_the_model_and_the_call_runs(
    any_codex_home: CodexHome, recorder: Recorder
) -> None:
    context = {**HOOK, "additionalContext": "test: context"}
    note = {"systemMessage": "test: a note", "hookSpecificOutput": context}
    run = answered(any_codex_home, recorder.command(note), times=1)
    assert times_run(any_codex_home) == 1
    assert {hook.outcome for hook in run.hooks} == {"Completed"}
    assert "test: context" in str(run.requests[-1].body)


def test_no_denial_ends_the_turn(codex_home: CodexHome, recorder: Recorder) -> None:
    codex_home.write({"PreToolUse": [group(recorder.command(DENY))]})
    run = codex_home.run(looping(COUNTED), BYPASS, max_requests=20)
    assert run.exhausted
    assert times_run(codex_home) == 0


def test_a_blocked_prompt_sends_no_request(any_codex_home: CodexHome, recorder: Recorder) -> None:
    block = {"decision": "block", "reason": "test: past the cap"}
    run = answered(any_codex_home, recorder.command(block), "UserPromptSubmit")
    assert run.requests == ()
    assert [hook.outcome for hook in run.hooks] == ["Blocked"]


def test_the_usage_of_each_response_is_told_without_a_log(
    codex_home: CodexHome, recorder: Recorder
) -> None:
    codex_home.write({"PostModelRequest": [group(recorder.command())]})
    codex_home.run(looping(COUNTED, times=1), BYPASS, keep_session=False)
    told = recorder.inputs()
    assert [given["token_usage"]["input_tokens"] for given in told] == [100, 100]
    assert {given["transcript_path"] for given in told} == {None}
    assert len({given["response_id"] for given in told}) == 2


@pytest.mark.parametrize(("code", "runs"), [(1, 1), (127, 1), (2, 1)])
def test_no_exit_code_alone_blocks_the_call(codex_home: CodexHome, code: int, runs: int) -> None:
    answered(codex_home, f"exit {code}", times=1)
    assert times_run(codex_home) == runs


def test_exit_code_2_with_a_word_on_stderr_blocks_it(codex_home: CodexHome) -> None:
    answered(codex_home, "echo no >&2; exit 2", times=1)
    assert times_run(codex_home) == 0


def test_a_session_that_runs_keeps_its_hooks_until_the_next_one(
    codex_home: CodexHome, recorder: Recorder
) -> None:
    codex_home.write({"PreToolUse": [group(recorder.command())]})
    remove = ToolUse("exec_command", {"cmd": f"rm {quote(str(codex_home.hooks))}"})
    codex_home.run(replies(Reply((remove,)), Reply((COUNTED,)), Reply((Text("x"),))), BYPASS)
    assert len(recorder.inputs()) == 2
    assert not codex_home.hooks.exists()


def test_asking_for_its_version_leaves_nothing_in_the_home(
    codex_home: CodexHome,
) -> None:
    environment = {**os.environ, "HOME": str(codex_home.root)}
    assert release.version(codex_home.codex, environment) == (0, 171, 0)
    assert not codex_home.config.exists()
