"""Status calls a harness armed exactly where the guard would stop something there."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from runaway.installer.commands import pause, status
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.installer import call, diagnose, payload, registered, unwire, user_file, wire


def row(machine: Machine, name: str = "claude") -> dict[str, Any]:
    rows = status.run(machine, time.time()).data["harnesses"]
    [found] = [one for one in rows if one["harness"] == name]
    assert isinstance(found, dict)
    return found


def headline(machine: Machine) -> str:
    return status.run(machine, time.time()).lines[0]


@pytest.mark.parametrize("name", HARNESSES)
def test_every_harness_is_armed_after_setup_and_not_before(machine: Machine, name: str) -> None:
    assert headline(machine) == "NOT armed. The guard is not installed on this machine."
    wire(machine, harnesses=(name,), trust_codex_hook=name == "codex")
    assert row(machine, name) | {"last_fired": None} == {
        "harness": name,
        "armed": True,
        "why_not": None,
        "wired": True,
        "last_fired": None,
    }
    assert headline(machine) == "The guard is armed: it stops what trips a wire."


def test_codex_without_consent_is_not_armed(machine: Machine) -> None:
    wire(machine, harnesses=("codex",))
    found = row(machine, "codex")
    assert (found["armed"], found["wired"]) == (False, True)
    assert "Review hooks" in found["why_not"] or "--trust-codex-hook" in found["why_not"]
    assert headline(machine) == "NOT armed in any agent: nothing is stopped."


def switch_hooks_off(machine: Machine) -> None:
    settings = json.loads(user_file(machine).read_bytes())
    user_file(machine).write_text(json.dumps({**settings, "disableAllHooks": True}))


def break_the_file(machine: Machine) -> None:
    user_file(machine).write_bytes(user_file(machine).read_bytes() + b"}")


def lose_the_entry(machine: Machine) -> None:
    user_file(machine).write_text("{}")


def lose_the_code(machine: Machine) -> None:
    shutil.rmtree(machine.data / "guard")


def lose_the_launcher(machine: Machine) -> None:
    machine.launcher.unlink()


def empty_the_launcher(machine: Machine) -> None:
    machine.launcher.write_text("exit 0\n")


def leave_the_launcher_early(machine: Machine) -> None:
    machine.launcher.write_text("exit 0\n" + machine.launcher.read_text())


def lose_python(machine: Machine) -> None:
    text = machine.launcher.read_text()
    start = text.index("for python in ") + len("for python in ")
    rest = text[start:].partition(" /usr/bin/python3; do")[2]
    machine.launcher.write_text(f"{text[:start]}'unbalanced /usr/bin/python3; do{rest}")


def tear_the_policy(machine: Machine) -> None:
    (machine.data / "policy.json").write_text("{")


def spoil_the_state(machine: Machine) -> None:
    shutil.rmtree(machine.state / "sessions", ignore_errors=True)
    (machine.state / "sessions").write_text("no folder")


def observe(machine: Machine) -> None:
    wire(machine, wishes=Wishes("observe"))


def make_a_break(machine: Machine) -> None:
    pause.run(machine, time.time() + 600, time.time())


OF_THE_MACHINE = (
    lose_the_code,
    lose_the_launcher,
    empty_the_launcher,
    leave_the_launcher_early,
    lose_python,
    tear_the_policy,
    spoil_the_state,
    observe,
    make_a_break,
)
OF_THE_HARNESS = (switch_hooks_off, break_the_file, lose_the_entry)


@pytest.mark.parametrize("damage", [*OF_THE_MACHINE, *OF_THE_HARNESS])
def test_what_disarms_the_guard_is_told_by_status_and_doctor(
    wired: Machine, damage: Callable[[Machine], None]
) -> None:
    damage(wired)
    found = row(wired)
    assert (found["armed"], bool(found["why_not"])) == (False, True)
    assert found["wired"] is (damage is not lose_the_entry)
    assert "is armed" not in headline(wired)
    assert {"error", "warning"} & {check["level"] for check in diagnose(wired).data["checks"]}


def test_after_uninstall_nothing_is_armed(wired: Machine) -> None:
    call(registered(wired), payload())
    unwire(wired)
    assert headline(wired) == "NOT armed. The guard is not installed on this machine."


def test_inside_a_project_its_entry_counts_and_outside_it_does_not(machine: Machine) -> None:
    project = machine.home / "project"
    project.mkdir()
    wire(machine, scope="project", project=project)
    assert row(machine._replace(cwd=project))["armed"] is True
    outside = status.run(machine, time.time())
    assert not any(one["armed"] for one in outside.data["harnesses"])
    assert "is armed" not in outside.lines[0]


def test_a_machine_without_agents_has_nothing_armed(wired: Machine) -> None:
    unwire(wired)
    shutil.rmtree(wired.home / ".claude", ignore_errors=True)
    wire(wired)
    shutil.rmtree(wired.home / ".claude")
    assert headline(wired) == "NOT armed. No agent was found on this machine."


def test_no_program_of_a_harness_is_started(wired: Machine) -> None:
    for harness in HARNESSES.values():
        program = wired.home / "bin" / harness.tamper_facts(wired).programs[0]
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch '{wired.home}/started'\n")
        program.chmod(0o755)
    assert len(status.run(wired, time.time()).data["harnesses"]) == len(HARNESSES)
    assert not (wired.home / "started").exists()
