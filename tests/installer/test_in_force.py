"""Doctor and status tell what the guard goes by: its policy, a pause, what a person has lifted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.session import Session
from runaway.installer.commands import pause, resume, setup, status
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.installer import call, diagnose, payload, registered, unwire, wire


def told(machine: Machine, name: str) -> list[tuple[str, str, str]]:
    return [
        (check["level"], check["message"], check["fix"])
        for check in diagnose(machine).data["checks"]
        if check["check"] == name
    ]


def changed(machine: Machine, **values: Any) -> None:
    path = machine.data / "policy.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_a_policy_as_setup_wrote_it_is_not_worth_a_word(wired: Machine) -> None:
    pause.run(wired, time.time() + 600, time.time())
    assert told(wired, "installed.policy") == []


@pytest.mark.parametrize(
    "values",
    [
        {"observe": True},
        {"limits": {"loop.calls_per_prompt": [None] * 4}},
        {"session_cap": 1e9},
        {"state": "/elsewhere"},
        {"protected": []},
        {"wired": []},
        {"tamper": {}},
        {"tamper": {"names": [], "facts": "{}"}},
        {"tamper": {"names": [], "facts": "nonsense"}},
        {"prices": {"claude-opus-5-5": [[0] * 12]}},
        {"another": 1},
    ],
    ids=str,
)
def test_a_policy_that_differs_from_the_config_is_told_and_mended(
    wired: Machine, values: dict[str, Any]
) -> None:
    changed(wired, **values)
    [(level, message, fix)] = told(wired, "installed.policy")
    assert level == "error"
    config = "~/.config/runaway/config.toml"
    assert message == f"The policy in force differs from {config}: {next(iter(values))}."
    assert fix == "Run `runaway setup`."
    checked = wire(wired, check=True)
    assert checked.exit_code == 1
    assert any("launcher, code and policy" in line for line in checked.lines)
    wire(wired)
    assert told(wired, "installed.policy") == []
    assert wire(wired, check=True).exit_code == 0


@pytest.mark.parametrize(
    "variable", ["CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"]
)
def test_a_variable_that_is_set_today_or_was_at_setup_is_not_worth_a_word(
    machine: Machine, variable: str
) -> None:
    moved = machine._replace(environ={**machine.environ, variable: str(machine.home / "other")})
    for first, then in ((machine, moved), (moved, machine)):
        wire(first)
        assert told(then, "installed.policy") == []


def test_a_config_that_was_edited_by_hand_is_told(wired: Machine) -> None:
    wired.config.mkdir(parents=True)
    (wired.config / "config.toml").write_text("[spend]\nsession_cap = 5\n")
    [(_, message, _)] = told(wired, "installed.policy")
    assert message.endswith("config.toml: session_cap.")
    (wired.config / "config.toml").write_text("nonsense")
    [(level, message, _)] = told(wired, "installed.policy")
    assert (level, "not valid TOML" in message) == ("error", True)


def lose(path: Path) -> None:
    path.unlink()


def link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to(path.with_name("moved"))


def let_others_write(path: Path) -> None:
    path.chmod(0o666)


def tear(path: Path) -> None:
    path.write_bytes(b"{")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lose, "is missing"),
        (link, "or is a link"),
        (let_others_write, "can be changed by others"),
        (tear, "is damaged"),
    ],
)
def test_a_policy_that_is_no_file_of_ours_is_told_and_mended(
    wired: Machine, damage: Any, says: str
) -> None:
    damage(wired.data / "policy.json")
    [(level, message, _)] = told(wired, "installed.policy")
    assert (level, says in message) == ("error", True)
    wire(wired)
    assert told(wired, "installed.policy") == []


def test_after_uninstall_there_is_no_policy_to_compare(wired: Machine) -> None:
    unwire(wired)
    assert told(wired, "installed.policy") == []


def test_a_guard_compiled_by_somebody_else_is_told_and_mended(wired: Machine) -> None:
    program = next(wired.data.glob("guard/*/guard.pyc"))
    program.write_bytes(program.read_bytes().replace(b"loop.same_call", b"loop.same_cell"))
    [(level, _, _)] = told(wired, "installed.code")
    assert level == "error"
    assert wire(wired, check=True).exit_code == 1
    wire(wired)
    [(level, _, _)] = told(wired, "installed.code")
    assert level == "ok"


# -- what a person has lifted


def test_a_pause_is_told(wired: Machine) -> None:
    pause.run(wired, time.time() + 3700, time.time())
    [(level, message, fix)] = told(wired, "fires.paused")
    assert (level, fix) == ("warning", "Run `runaway pause --off`.")
    assert "for another 1 hour" in message


def test_sessions_that_were_lifted_are_told_by_doctor_and_status(wired: Machine) -> None:
    for session in ("lifted-1", "raised-2", "plain-3"):
        call(registered(wired), payload(session))
    resume.run(wired, "lifted-1", 0, time.time() + 3700)
    resume.run(wired, "raised-2", 5, None)
    what = {
        "Session lifted-1 of claude: nothing is stopped in it for another 1 hour.": "warning",
        "Session raised-2 of claude: its cap was raised by $5.00.": "info",
    }
    assert {message: level for level, message, _ in told(wired, "fires.lifted")} == what
    result = status.run(wired, time.time())
    assert sum(line.startswith("Lifted: ") for line in result.lines) == len(what)
    assert {row["session"]: row["added"] for row in result.data["sessions"]} == {
        "lifted-1": 0,
        "raised-2": 5,
        "plain-3": 0,
    }


def test_a_session_lifted_for_ever_is_told(wired: Machine) -> None:
    """Nobody can ask for that, but a state file can say so."""
    call(registered(wired), payload("s"))
    session = Session(str(wired.state), "claude", "s")
    session.state["lifted_until"] = 1e300
    session.save()
    session.close()
    [(level, _, _)] = told(wired, "fires.lifted")
    assert level == "warning"
    assert any(line.startswith("Lifted: s") for line in status.run(wired, time.time()).lines)


def test_setup_tells_of_a_change_of_policy_only_where_there_is_one(wired: Machine) -> None:
    same = setup.run(wired, setup.Options(("claude",), check=True))
    assert same.exit_code == 0
    assert not any("policy" in line for line in same.lines)
    other = setup.run(wired, setup.Options(("claude",), check=True, wishes=Wishes(day_cap=3.0)))
    assert other.exit_code == 1
    assert any("policy" in line for line in other.lines)
