from __future__ import annotations

import pytest

from runaway.installer.drill.outcome import Call, DrillRun, HookRun, judge
from runaway.installer.drill.server import Request

MARKER = "guard: "
DENIED_LOOP = "the looping call was denied after 2 repeats"
PASSED = Call("1", "Read", {}, "", "File does not exist.", True)
DENIED = PASSED._replace(result="guard: again")
PREFIXED = PASSED._replace(result="PreToolUse:Read hook error: guard: again")
MANAGED = PASSED._replace(result=f"<tool_use_error>{PREFIXED.result}</tool_use_error>")
FOREIGN = PASSED._replace(result="PreToolUse:Read hook error: quota: see guard: rules")
HOOK = HookRun("PreToolUse", "", "", 0, "success")

STOPPED = DrillRun(
    exit_code=0,
    stderr="",
    seconds=1.0,
    requests=(Request(1, 1, "", {}, {}),) * 3,
    exhausted=False,
    session="s",
    calls=(PASSED, PASSED, DENIED),
    hooks=(HOOK,) * 3,
    terminal_reason="hook_stopped",
    text="",
    cost_usd=0.0,
    events=(),
)


@pytest.mark.parametrize("denied", [DENIED, PREFIXED, MANAGED])
def test_only_a_denied_loop_whose_turn_a_hook_ended_passes(denied: Call) -> None:
    report = judge(STOPPED._replace(calls=(PASSED, PASSED, denied)), MARKER, can_end_turns=True)
    assert report == (
        "ok",
        f"{DENIED_LOOP} and the turn ended after 3 requests",
        3,
        2,
        1.0,
        "s",
    )


@pytest.mark.parametrize(
    ("run", "level", "message"),
    [
        (
            STOPPED._replace(requests=(), stderr="first\nbad key\n"),
            "error",
            "nothing is proven: the drill's model was never asked (bad key)",
        ),
        (
            STOPPED._replace(requests=(), exit_code=1),
            "error",
            "nothing is proven: the drill's model was never asked (exit code 1)",
        ),
        (
            STOPPED._replace(exit_code=None, seconds=60.2),
            "error",
            "nothing is proven: the run was ended after 60 seconds",
        ),
        (
            STOPPED._replace(calls=(PASSED, FOREIGN)),
            "error",
            "nothing is proven: another hook ended the turn before the guard denied anything",
        ),
        (
            STOPPED._replace(calls=(PASSED,) * 60, terminal_reason="completed"),
            "error",
            "not protected: hooks were run, but 60 equal calls went through",
        ),
        (
            STOPPED._replace(calls=(PASSED,) * 60, terminal_reason="completed", hooks=()),
            "error",
            "not protected: 60 equal calls went through and no hook was run",
        ),
        (
            STOPPED._replace(terminal_reason="completed", exhausted=True),
            "error",
            f"{DENIED_LOOP}, but the model was asked again, 3 times in all",
        ),
        (
            STOPPED._replace(exhausted=True),
            "error",
            f"{DENIED_LOOP}, but the model was asked again, 3 times in all",
        ),
    ],
)
def test_anything_else_is_called_by_its_name(run: DrillRun, level: str, message: str) -> None:
    report = judge(run, MARKER, can_end_turns=True)
    assert (report.level, report.message) == (level, message)


def test_a_release_in_which_no_hook_can_end_a_turn_is_a_warning() -> None:
    report = judge(
        STOPPED._replace(terminal_reason="completed", exhausted=True), MARKER, can_end_turns=False
    )
    assert report.level == "warning"
    assert "this release lets no hook end the turn" in report.message


def test_a_call_that_succeeded_was_not_denied_whatever_its_result_says() -> None:
    assert STOPPED._replace(calls=(DENIED._replace(failed=False),)).denied(MARKER) == ()
