"""`runaway stop` stops everything at once; `runaway start` lets it go on."""

from __future__ import annotations

import json
import time

import pytest

from runaway.guard.call import STOP
from runaway.guard.dialects import dialect_of
from runaway.installer import policy_file
from runaway.installer.commands import halt, status
from runaway.installer.commands.halt import What
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.self_test import answer
from tests.support.installer import call, diagnose, levels, payload, registered, wire

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"


def asked(machine: Machine, session: str = SESSION, command: str = "ls") -> bytes:
    told = json.loads(payload()) | {"session_id": session, "tool_input": {"command": command}}
    return call(registered(machine), json.dumps(told).encode())[1]


def test_every_call_is_denied_until_start(wired: Machine) -> None:
    assert asked(wired) == b""
    stopped = halt.stop(wired, What())
    assert (stopped.status, stopped.data) == ("stopped", {"stopped": [""]})
    said = [asked(wired, session, "another") for session in (SESSION, "other")]
    assert all(b"A person has stopped this work with `runaway stop`" in one for one in said)
    assert all(json.loads(one)["continue"] is False for one in said)
    assert halt.start(wired, What()).data == {"stopped": []}
    assert asked(wired, command="a third") == b""


@pytest.mark.parametrize("name", HARNESSES)
def test_in_every_harness(machine: Machine, name: str) -> None:
    wire(machine, harnesses=(name,), trust_codex_hook=name == "codex")
    harness = HARNESSES[name]
    command = command_for(machine.launcher, harness.LAUNCHER_ARGUMENT)
    sample = harness.sample_payload(harness.session_id(), 1)
    assert not harness.is_denial(answer(command, sample)[1])
    halt.stop(machine, What(harness=name))
    _, said = answer(command, harness.sample_payload(harness.session_id(), 2))
    assert b"runaway start" in said
    if STOP in dialect_of(name).UNSUPPORTED:
        assert harness.is_denial(said)
    halt.start(machine, What(harness=name))
    assert not harness.is_denial(
        answer(command, harness.sample_payload(harness.session_id(), 3))[1]
    )


def test_one_session_is_stopped_and_no_other(wired: Machine) -> None:
    asked(wired)
    asked(wired, "another")
    halt.stop(wired, What(session="0a1b"))
    assert asked(wired, command="x")
    assert asked(wired, "another", "x") == b""
    halt.start(wired, What(session="0a1b"))
    assert asked(wired, command="y") == b""


def test_neither_observing_nor_a_pause_stands_against_it(machine: Machine) -> None:
    wire(machine, wishes=Wishes("observe"))
    halt.stop(machine, What())
    assert asked(machine)


def test_setup_does_not_let_go_what_was_stopped(wired: Machine) -> None:
    halt.stop(wired, What())
    wire(wired, wishes=Wishes("enforce", 5.0))
    assert policy_file.stopped(wired) == [""]
    assert asked(wired)
    assert "installed.policy" not in levels(diagnose(wired))


def test_status_and_doctor_tell_how_it_goes_on(wired: Machine) -> None:
    asked(wired)
    halt.stop(wired, What(harness="claude"))
    halt.stop(wired, What(session=SESSION))
    seen = status.run(wired, time.time())
    assert seen.data["stopped"] == ["claude", f"claude:{SESSION}"]
    assert seen.lines[0] == (
        "You have stopped Claude Code: runaway start --harness claude lets it go on"
    )
    assert levels(diagnose(wired))["fires.stopped"] == "warning"


def test_one_stop_is_one_line_in_the_log_of_trips(wired: Machine) -> None:
    halt.stop(wired, What())
    for _ in range(3):
        asked(wired)
    trips = [json.loads(line) for line in (wired.state / "trips.jsonl").read_text().splitlines()]
    assert [one["rule"] for one in trips] == ["person.stop"]
    halt.start(wired, What())
    asked(wired, command="between")
    halt.stop(wired, What())
    asked(wired, command="x")
    assert len((wired.state / "trips.jsonl").read_text().splitlines()) == 2


def test_what_cannot_be_is_refused_in_one_sentence(machine: Machine) -> None:
    with pytest.raises(Refusal, match="The guard is not installed"):
        halt.stop(machine, What())
    wire(machine)
    with pytest.raises(Refusal, match="There is no session 'nope'"):
        halt.stop(machine, What(session="nope"))
    with pytest.raises(Refusal, match="no harness named"):
        halt.stop(machine, What(harness="nope"))
    with pytest.raises(Refusal, match="Claude Code is not stopped by you"):
        halt.start(machine, What(harness="claude"))
    assert halt.start(machine, What()).lines == ("Nothing was stopped.",)


def test_a_damaged_list_stops_nothing_and_harms_nothing(wired: Machine) -> None:
    path = wired.data / "policy.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "stopped": {"x": 1}}))
    assert asked(wired) == b""
    assert policy_file.stopped(wired) == []
