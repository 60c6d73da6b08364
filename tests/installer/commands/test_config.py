"""The policy as edited and the policy in force: what differs is told, with what applies it."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer.commands import config, status
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Message
from tests.support.installer import diagnose, wire

REMEDY = "Run `runaway setup`."


@pytest.fixture
def edited(machine: Machine) -> Machine:
    """Set up to enforce with a cap of 20 dollars; the file says something else since."""
    wire(machine, wishes=Wishes("enforce", session_cap=20.0))
    edit(machine, 'mode = "observe"\n[spend]\nsession_cap = 5\n')
    return machine


def edit(machine: Machine, text: str) -> None:
    Path(machine.config / "config.toml").write_text(text)


def told(messages: tuple[Message, ...], part: str) -> bool:
    return any(part in one.text and one.fix == REMEDY for one in messages)


def test_show_tells_what_is_in_force_beside_what_the_file_says(edited: Machine) -> None:
    result = config.show(edited)
    assert "mode = observe  (in force: enforce)" in result.lines
    assert "spend.session_cap = 5  (in force: 20.0)" in result.lines
    assert result.data["values"]["mode"] == "observe"
    assert result.data["in_force"]["mode"] == "enforce"
    assert told(result.messages, "config.toml is not in force yet: mode, spend.session_cap.")


def test_get_warns_of_a_value_that_is_not_in_force(edited: Machine) -> None:
    assert told(config.get(edited, "mode").messages, "not in force yet: mode.")
    assert config.get(edited, "spend.day_cap").messages == ()


def test_status_claims_only_what_is_in_force_and_tells_of_the_edit(edited: Machine) -> None:
    result = status.run(edited, 1.8e9)
    assert (result.data["mode"], result.data["caps"]["session"]) == ("enforce", 20.0)
    assert result.lines[0] == "The guard is armed: it stops what trips a wire."
    assert told(result.messages, "config.toml: observe, session_cap.")


def test_check_says_what_setup_would_put_in_force(edited: Machine) -> None:
    result = wire(edited, check=True)
    assert result.exit_code == 1
    assert any(
        line == "Would put in force what ~/.config/runaway/config.toml says: observe, session_cap"
        for line in result.lines
    )


def test_after_setup_what_the_file_says_is_in_force(edited: Machine) -> None:
    wire(edited)
    result = config.show(edited)
    assert result.messages == ()
    assert result.data["in_force"] == result.data["values"]
    assert status.run(edited, 1.8e9).data["mode"] == "observe"
    assert wire(edited, check=True).exit_code == 0


@pytest.mark.parametrize("text", ["nonsense", 'mode = "maybe"', "[spend]\nday_cap = -1\n"])
def test_an_invalid_file_is_told_by_all_with_what_is_in_force(edited: Machine, text: str) -> None:
    edit(edited, text)
    shown = config.show(edited)
    assert (shown.exit_code, shown.messages[0].level) == (1, "error")
    assert "spend.session_cap = 20.0  (in force)" in shown.lines
    found = status.run(edited, 1.8e9)
    assert (found.data["mode"], found.messages[0].code) == ("enforce", "installed.policy")
    assert "config.toml" in found.messages[0].text
    assert diagnose(edited).exit_code == 1


def test_before_setup_nothing_is_in_force(machine: Machine) -> None:
    assert config.show(machine).data["in_force"] is None
    assert config.show(machine).messages == ()


def test_a_damaged_policy_is_not_taken_for_the_defaults(edited: Machine) -> None:
    (edited.data / "policy.json").write_text("{")
    assert config.show(edited).data["in_force"] is None


def test_a_dotted_key_is_kept_beside_a_new_one(machine: Machine) -> None:

    wire(machine)
    machine.config.mkdir(parents=True, exist_ok=True)
    edit(machine, "spend.day_cap = 1\n")
    config.put(machine, "spend.session_cap", "3")
    assert config.get(machine, "spend.session_cap").data["value"] == 3
    assert config.get(machine, "spend.day_cap").data["value"] == 1
