"""The main job on Antigravity's real core: setup, a loop that is stopped, money, doctor, uninstall."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.installer import sessions
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.scripts import looping, spending
from runaway.installer.drill.server import ToolUse, Usage
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.antigravity_home import AntigravityHome, Turns

CHOSEN = ("antigravity",)
DENIED_AT, STOPPED_AT = 6, 12  # by loop.same_result: the same call, the same result
DEAR = Usage(0, 200_000)


def wire(home: AntigravityHome, **wishes: float) -> Machine:
    result = setup.run(home.machine, setup.Options(CHOSEN, wishes=Wishes(None, **wishes)))
    assert result.exit_code == 0, result.messages
    return home.machine


def diagnose(machine: Machine) -> Result:
    return doctor.run(machine, doctor.Options(CHOSEN), progress=lambda _: None)


def errors(result: Result) -> set[str]:
    return checks.failed(result.data["checks"])


def echo(home: AntigravityHome) -> ToolUse:
    """Every run of it leaves a line in the file `ran`."""
    given = {"CommandLine": "echo again | tee -a ran", "Cwd": str(home.project)}
    return ToolUse("run_command", {**given, "WaitMsBeforeAsync": 5000, "Blocking": True})


def ran(home: AntigravityHome) -> int:
    file = home.project / "ran"
    return file.read_text().count("again") if file.exists() else 0


def told(turns: Turns) -> str:
    return json.dumps(turns.requests[-1].body)


def test_a_loop_is_denied_and_ended_and_its_money_is_known(
    antigravity_home: AntigravityHome,
) -> None:
    machine = wire(antigravity_home)
    assert not errors(diagnose(machine))
    turns = antigravity_home.run(spending(looping(echo(antigravity_home)), lambda _: Usage(1000)))
    assert ran(antigravity_home) == DENIED_AT - 1
    assert len(turns.requests) == STOPPED_AT
    assert "gave the same result 5 times" in told(turns)
    [session] = sessions.sessions(machine).rows
    assert session.harness == "antigravity"
    assert session.dollars > 0
    levels = [trip.level for trip in sessions.trips(machine).rows]
    assert {"note", "deny", "stop"} == set(levels)


def test_a_prompt_of_a_person_begins_anew(antigravity_home: AntigravityHome) -> None:
    wire(antigravity_home)
    loop = looping(echo(antigravity_home))
    turns = antigravity_home.run(loop, "go", "once more")
    assert len(turns.requests) == 2 * STOPPED_AT
    assert ran(antigravity_home) == 2 * (DENIED_AT - 1)


def test_past_the_cap_the_run_ends(antigravity_home: AntigravityHome) -> None:
    wire(antigravity_home, session_cap=1.0)
    turns = antigravity_home.run(spending(looping(echo(antigravity_home)), lambda _: DEAR))
    assert len(turns.requests) < DENIED_AT
    assert ran(antigravity_home) <= 1


def test_uninstall_takes_its_entry_out_and_antigravity_is_free(
    antigravity_home: AntigravityHome,
) -> None:
    own = {"mine": {"Stop": [{"command": "true"}]}}
    antigravity_home.hooks.parent.mkdir(parents=True)
    antigravity_home.hooks.write_text(json.dumps(own))
    machine = wire(antigravity_home)
    assert uninstall.run(machine, uninstall.Options(CHOSEN)).exit_code == 0
    assert json.loads(antigravity_home.hooks.read_text()) == own
    antigravity_home.run(looping(echo(antigravity_home), times=STOPPED_AT + 2))
    assert ran(antigravity_home) == STOPPED_AT + 2


STRANGERS: dict[str, Any] = {
    "another hook": {"mine": {"Stop": [{"type": "command", "command": "true"}]}},
    "null": {"mine": None},
    "an event that nobody knows": {"mine": {"Whatever": "x"}},
    "no type": {"mine": {"PreToolUse": [{"hooks": [{"command": "true", "x": 1}]}]}},
    "a switch on top": {"enabled": True},
    "an event that is a text": {"mine": {"Stop": "x"}},
    "no group": {"mine": {"PreToolUse": [{"command": "true"}]}},
    "a group that is a text": {"mine": {"PreToolUse": ["x"]}},
    "nothing in a group": {"mine": {"PreToolUse": [{"matcher": None, "hooks": None}]}},
    "a text in other letters": {"mine": {"preToolUse": "x"}},
    "an empty command": {"mine": {"Stop": [{"command": ""}]}},
    "a type of null": {"mine": {"Stop": [{"type": None, "command": "true"}]}},
    "a group where none may be": {"mine": {"PostInvocation": [{"hooks": [{"command": "true"}]}]}},
    "no regular expression": {"mine": {"PreToolUse": [{"matcher": "(", "hooks": []}]}},
    "a matcher that is a number": {"mine": {"PreToolUse": [{"matcher": 1, "hooks": []}]}},
    "a timeout with a point": {"mine": {"Stop": [{"command": "true", "timeout": 1.5}]}},
    "a timeout below nothing": {"mine": {"Stop": [{"command": "true", "timeout": -1}]}},
    "a timeout in words": {"mine": {"Stop": [{"command": "true", "timeout": "1"}]}},
    "another type": {"mine": {"Stop": [{"type": "http", "command": "true"}]}},
    "no command": {"mine": {"Stop": [{"type": "command"}]}},
    "a switch in words": {"mine": {"enabled": "true"}},
}


@pytest.mark.parametrize("name", STRANGERS)
def test_the_doctor_and_antigravity_agree_on_what_drops_the_file(
    antigravity_home: AntigravityHome, name: str
) -> None:
    machine = wire(antigravity_home)
    hooks = json.loads(antigravity_home.hooks.read_text())
    antigravity_home.hooks.write_text(json.dumps({**hooks, **STRANGERS[name]}))
    antigravity_home.run(looping(echo(antigravity_home), times=DENIED_AT))
    dropped = ran(antigravity_home) == DENIED_AT
    assert ("allowed.file" in errors(diagnose(machine))) is dropped


def test_the_doctor_and_antigravity_agree_on_the_switch(antigravity_home: AntigravityHome) -> None:
    machine = wire(antigravity_home)
    hooks = json.loads(antigravity_home.hooks.read_text())
    hooks["hooks"]["enabled"] = False
    antigravity_home.hooks.write_text(json.dumps(hooks))
    antigravity_home.run(looping(echo(antigravity_home), times=DENIED_AT))
    assert ran(antigravity_home) == DENIED_AT
    assert errors(diagnose(machine)) == {"allowed.disabled"}


def test_harmless_once_its_launcher_is_deleted(antigravity_home: AntigravityHome) -> None:
    machine = wire(antigravity_home)
    machine.launcher.unlink()
    antigravity_home.run(looping(echo(antigravity_home), times=DENIED_AT + 1))
    assert ran(antigravity_home) == DENIED_AT + 1
