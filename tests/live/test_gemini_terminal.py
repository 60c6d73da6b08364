"""The real Gemini CLI on a terminal: a person who is there is asked, also where all is allowed."""

from __future__ import annotations

from runaway.guard.session import peek
from runaway.installer.commands import setup
from runaway.installer.drill.scripts import distinct
from runaway.installer.drill.server import ToolUse
from tests.support.live.gemini_home import GeminiHome
from tests.support.live.terminal import ENTER

QUESTION = "Allow execution of"


def test_a_person_is_asked_and_yes_lets_it_run(gemini_home: GeminiHome) -> None:
    machine = gemini_home.machine
    setup.run(machine, setup.Options(("gemini",)))
    script = distinct(
        lambda n: ToolUse("run_shell_command", {"command": "echo x", "description": f"{n}"}),
        times=7,
    )
    with gemini_home.interactive(script, "--yolo") as terminal:
        terminal.submit("go")
        terminal.wait_for(QUESTION)
        assert "gave the same result 5 times" in terminal.text
        terminal.press(ENTER, until="Done.")
    [path] = (machine.state / "sessions").glob("gemini-*")
    memory = peek(str(path))
    assert memory["granted"]
    assert len(memory["agents"][""]["calls"]) == 7
