"""Where somebody attends, the guard asks: the real Claude Code on a pseudo-terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.guard.session import file_name, peek
from runaway.guard.words import MARKER
from runaway.installer.commands import setup
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import Reply, Request, Text, ToolUse
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.claude_home import ClaudeHome
from tests.support.live.terminal import DOWN, ENTER, ESCAPE

pytestmark = pytest.mark.live

DIALOG = "Do you want to proceed?"
CALL = ToolUse("Bash", {"command": "echo x >> ran"})
ALLOWED = ("--allowedTools", "Bash")
ASKED_AT = 3
LIMITS = f"""\
[limits]
"loop.same_call" = [0, {ASKED_AT}, 12, 20]
"loop.same_result" = [0, 0, 0, 0]
"""


@pytest.fixture
def machine(home: ClaudeHome) -> Machine:
    machine = scratch_machine(home.root, {"PATH": f"{home.claude.parent}:/usr/bin:/bin"})
    machine.config.mkdir(parents=True)
    (machine.config / "config.toml").write_text(LIMITS)
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    return machine


def counting(request: Request) -> Reply:
    """The same call for ever, each time with a text that shows on the screen how far it has come."""
    return Reply((Text(f"Response {request.round}."), CALL))


def ran(home: ClaudeHome) -> int:
    file = home.project / "ran"
    return file.read_text().count("x") if file.exists() else 0


def trips(machine: Machine) -> list[dict[str, Any]]:
    log = machine.state / "trips.jsonl"
    return [json.loads(line) for line in log.read_bytes().splitlines()] if log.exists() else []


def granted(machine: Machine) -> list[int]:
    [session] = (machine.state / "sessions").iterdir()
    return list(peek(str(session)).get("granted", {}).values())


def test_a_loop_raises_the_dialog_and_yes_starts_the_count_anew_with_twice_the_limit(
    home: ClaudeHome, machine: Machine
) -> None:
    with home.interactive(counting, *ALLOWED) as terminal:
        terminal.submit("please go")
        terminal.wait_for(DIALOG)
        assert MARKER in terminal.text
        assert "the same Bash call was made 3 times in a row" in " ".join(terminal.text.split())
        assert ran(home) == ASKED_AT - 1
        terminal.press(ENTER, until=lambda: ran(home) >= ASKED_AT)
        terminal.wait_for(DIALOG)
        assert ran(home) == 3 * ASKED_AT - 1, "three were let through, and the limit is six now"
        assert granted(machine) == [2]
    assert [trip["level"] for trip in trips(machine)] == ["ask", "ask"]
    assert all(trip["answered"] for trip in trips(machine))


@pytest.mark.parametrize("refusal", ["No", "Esc"])
def test_no_and_escape_stop_it_and_grant_nothing(
    home: ClaudeHome, machine: Machine, refusal: str
) -> None:
    with home.interactive(looping(CALL), *ALLOWED) as terminal:
        terminal.submit("please go")
        terminal.wait_for(DIALOG)
        if refusal == "No":
            terminal.press(DOWN, until="❯ 2. No")
            terminal.press(ENTER, until="Interrupted")
        else:
            terminal.press(ESCAPE, until="Interrupted")
    assert ran(home) == ASKED_AT - 1
    assert granted(machine) == []


def test_a_new_prompt_of_the_person_starts_the_count_anew(
    home: ClaudeHome, machine: Machine
) -> None:
    def two_calls(request: Request) -> Reply:
        return counting(request) if request.round % 3 else Reply((Text(f"End {request.round}."),))

    with home.interactive(two_calls, *ALLOWED) as terminal:
        for number in (1, 2, 3):
            terminal.submit(f"prompt number {number}")
            terminal.wait_for(f"End {3 * number}.")
    assert ran(home) == 6
    assert trips(machine) == []


def test_unattended_the_same_loop_is_denied_instead(home: ClaudeHome, machine: Machine) -> None:
    run = home.run(looping(CALL, times=5), *ALLOWED, keep_session=True)
    assert ran(home) == ASKED_AT - 1
    assert len(run.denied(MARKER)) == 3
    assert {trip["level"] for trip in trips(machine)} == {"deny"}
    [session] = (machine.state / "sessions").iterdir()
    assert session.name == file_name("claude", run.session)
