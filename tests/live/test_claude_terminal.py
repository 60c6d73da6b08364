"""Where somebody attends: the real Claude Code on a pseudo-terminal."""

from __future__ import annotations

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from tests.support.live.claude_home import ClaudeHome, hooked
from tests.support.live.recorder import Recorder
from tests.support.live.terminal import DOWN, ENTER

CALL = ToolUse("Bash", {"command": "echo x >> ran", "description": "a test"})
ASK = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "test: the same call for the third time",
    }
}


@pytest.mark.parametrize(
    ("arguments", "mode"),
    [((), "auto"), (("--permission-mode", "default"), "default")],
)
def test_ask_shows_the_reason_and_yes_runs_the_call(
    home: ClaudeHome, recorder: Recorder, arguments: tuple[str, ...], mode: str
) -> None:
    home.write(hooked(PreToolUse=recorder.command(ASK)))
    with home.interactive(looping(CALL, times=1), *arguments) as terminal:
        terminal.submit("please go")
        terminal.wait_for("Do you want to proceed?")
        assert "test: the same call for the third time" in terminal.text
        assert not (home.project / "ran").exists()
        terminal.press(ENTER, until="Done.")
    assert (home.project / "ran").read_text() == "x\n"
    assert [given["permission_mode"] for given in recorder.inputs()] == [mode]
    assert recorder.environments()[0]["CLAUDE_CODE_SESSION_ATTENDED"] == "1"


def test_no_refuses_the_call(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse=recorder.command(ASK)))
    with home.interactive(looping(CALL, times=1)) as terminal:
        terminal.submit("please go")
        terminal.wait_for("Do you want to proceed?")
        terminal.press(DOWN, until="❯ 2. No")
        terminal.press(ENTER, until="Interrupted")
    assert not (home.project / "ran").exists()
