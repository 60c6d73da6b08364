"""What the doctor prints as a remedy heals: each is done as it says, and the doctor is content."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from runaway.installer import deploy, earlier_places, health, self_test
from runaway.installer.commands import setup, uninstall
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from tests.installer import console
from tests.support.installer import (
    call,
    codes,
    diagnose,
    install_claude,
    levels,
    not_as_root,
    payload,
    registered,
    unwire,
    user_file,
    wire,
)


@pytest.fixture
def wired(machine: Machine) -> Machine:
    """As a person's own command sees it."""
    machine = machine._replace(root=Path("/"))
    install_claude(machine, "2.1.332")
    wire(machine)
    return machine


COMMAND = re.compile(r"`runaway ([^`]+)`")


def by_hand(machine: Machine, fix: str) -> None:
    """Runs the command of a remedy, as a person would who has copied it."""
    [line] = COMMAND.findall(fix)
    arguments = line.split() + (["--non-interactive"] if line.startswith("setup") else [])
    done = console.run(machine.home, *arguments, more={"PATH": machine.environ["PATH"]})
    assert done.code == 0, done.out + done.err


class Fault(NamedTuple):
    """`check` is the first that a person sees; `heal` does by hand what its remedy says."""

    damage: Callable[[Machine], object]
    check: str
    heal: Callable[[Machine, str], object] = by_hand


def edit(machine: Machine, old: str, new: str) -> None:
    file = user_file(machine)
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def another_policy(machine: Machine) -> None:
    machine.config_file.parent.mkdir(parents=True, exist_ok=True)
    machine.config_file.write_text("[spend]\nsession_cap = 3\n")


def comment(machine: Machine) -> None:
    file = user_file(machine)
    file.write_text(file.read_text().replace("{\n", "{\n  // mine\n", 1))


def without_comment(machine: Machine, fix: str) -> None:
    assert fix == "Remove the comment."
    edit(machine, "  // mine\n", "")


def with_switch(machine: Machine) -> None:
    edit(machine, "{\n", '{\n  "disableAllHooks": true,\n')


def without_switch(machine: Machine, fix: str) -> None:
    assert fix.startswith("Remove `disableAllHooks` from ~/.claude/settings.json")
    edit(machine, '  "disableAllHooks": true,\n', "")


def a_file_for_the_state(machine: Machine) -> None:
    shutil.rmtree(machine.state, ignore_errors=True)
    machine.state.write_text("")


def move_it_away(machine: Machine, fix: str) -> None:
    assert fix == "Move away the file that is in its place."
    machine.state.unlink()


def logged(machine: Machine) -> None:
    log = deploy.health_logs(machine)[0]
    log.write_text("1796138521 claude session.py:136 ValueError: odd\n")


def delete_the_log(machine: Machine, fix: str) -> None:
    log = deploy.health_logs(machine)[0]
    assert fix == f"Please report it, then delete {machine.tilde(log)}."
    log.unlink()


FAULTS = {
    "no entry": Fault(lambda machine: user_file(machine).unlink(), "installed.entry"),
    "an entry less": Fault(
        lambda machine: edit(machine, '"PreToolUse"', '"PreCompact"'), "installed.events"
    ),
    "a limit of time": Fault(
        lambda machine: edit(machine, '"timeout": 10', '"timeout": 1'), "installed.entry"
    ),
    "a comment": Fault(comment, "allowed.file", without_comment),
    "a switch": Fault(with_switch, "allowed.disabled", without_switch),
    "no code": Fault(lambda machine: shutil.rmtree(machine.data / "guard"), "installed.code"),
    "no launcher": Fault(lambda machine: machine.launcher.unlink(), "installed.code"),
    "a damaged launcher": Fault(lambda machine: machine.launcher.write_text("x"), "installed.code"),
    "a damaged policy": Fault(
        lambda machine: (machine.data / "policy.json").write_text("{"), "installed.policy"
    ),
    "no policy": Fault(lambda machine: (machine.data / "policy.json").unlink(), "installed.policy"),
    "another policy": Fault(another_policy, "installed.policy"),
    "observing": Fault(
        lambda machine: by_hand(machine, "`runaway config set mode observe`"), "fires.command"
    ),
    "paused": Fault(lambda machine: by_hand(machine, "`runaway pause 1h`"), "fires.command"),
    "stopped": Fault(lambda machine: by_hand(machine, "`runaway stop`"), "fires.stopped"),
    "no folder for the state": Fault(a_file_for_the_state, "fires.state", move_it_away),
    "a fault of its own": Fault(logged, "fires.health", delete_the_log),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_remedy_heals(wired: Machine, fault: Fault) -> None:
    call(registered(wired), payload())  # it has run there
    sound = trouble(wired)
    assert sound == {}
    fault.damage(wired)
    found = trouble(wired)
    assert fault.check in found
    fault.heal(wired, found[fault.check])
    assert trouble(wired) == {}


def trouble(machine: Machine) -> dict[str, str]:
    """Check -> remedy of every error and warning."""
    checks = diagnose(machine).data["checks"]
    return {one["check"]: one["fix"] for one in checks if one["level"] in ("error", "warning")}


def test_what_is_wrong_with_a_file_is_told_once(wired: Machine) -> None:
    comment(wired)
    told = [one for one in diagnose(wired).data["checks"] if one["level"] == "error"]
    name = "Claude Code ignores the whole file ~/.claude/settings.json"
    assert [one["message"] for one in told] == [f"{name}: comment at 2:3."]


@not_as_root
def test_a_state_that_may_not_be_written_is_told_once(wired: Machine) -> None:
    wired.state.chmod(0o500)
    try:
        assert set(trouble(wired)) == {"fires.state"}
    finally:
        wired.state.chmod(0o700)


@pytest.mark.parametrize(
    ("reason", "says"), [(28, "Free some space"), (30, "writable"), (13, "write to")]
)
def test_the_state_folders_remedy_goes_by_the_reason(
    wired: Machine, monkeypatch: pytest.MonkeyPatch, reason: int, says: str
) -> None:
    def fail(*_: object, **__: object) -> object:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    told = trouble(wired)
    assert set(told) == {"fires.state"}, "and the guard is not tried in vain"
    assert says in told["fires.state"]


def test_a_full_disk_is_nothing_to_report(wired: Machine) -> None:
    log = deploy.health_logs(wired)[0]
    log.write_text("1796138521 claude session.py:136 OSError: [Errno 28] No space left\n")
    assert trouble(wired)["fires.health"].startswith("Fix that")


def test_the_doctors_own_trial_leaves_no_line_in_the_log(wired: Machine) -> None:
    """A guard that fails at each call: told by the trial, and not again as a fault of the past."""
    (wired.state / "sessions").mkdir(exist_ok=True)
    log = deploy.health_logs(wired)[0]
    log.write_text("1796138521 codex an earlier line\n")
    before = [one.what for one in health.faults(wired, 1796138530)]
    [code] = (wired.data / "guard").iterdir()
    for path in (code / "guard.pyc", code / "run.py"):
        path.unlink()
    [fires] = [
        one for one in self_test.checks(wired, HARNESSES["claude"]) if one.check == "fires.command"
    ]
    assert fires.level == "error"
    assert "could not be started" in fires.message
    assert [one.what for one in health.faults(wired, 1796138530)] == before


# Leftovers.


def test_code_in_an_earlier_place_is_named_and_taken(machine: Machine) -> None:
    before = machine._replace(data=machine.home / "old/runaway")
    wire(before)
    wire(machine)
    assert earlier_places.found(machine) == (before.data,)
    assert levels(diagnose(machine))["installed.earlier"] == "info"
    unwire(machine)
    assert not (before.data / "guard").exists()
    assert call(registered(before), payload()) == (0, b""), "sessions may still call it"
    assert not (machine.state / earlier_places.FILE).exists()


def test_a_list_of_places_is_not_believed(wired: Machine, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "guard").mkdir(parents=True)
    (theirs / "launch").write_text("#!/bin/sh\nexec mine\n")
    link = tmp_path / "link"
    link.symlink_to(wired.data)
    for text in (f'["{theirs}", "{link}", "relative", 7]', "{", "7"):
        (wired.state / earlier_places.FILE).write_text(text)
        assert earlier_places.found(wired) == ()
    unwire(wired)
    assert sorted(path.name for path in theirs.iterdir()) == ["guard", "launch"]


def test_a_copy_of_the_plugin_in_the_other_folder_goes_too(machine: Machine) -> None:
    wire(machine, harnesses=("opencode",))
    first = machine.home / ".config/opencode/plugin/runaway.js"
    second = machine.home / ".config/opencode/plugins/runaway.js"
    second.parent.mkdir()
    shutil.copy(first, second)
    assert levels(diagnose(machine, harnesses=("opencode",)))["installed.once"] == "warning"
    unwire(machine, harnesses=())
    assert not first.exists()
    assert not second.exists()


def test_a_project_that_was_moved_is_named(machine: Machine) -> None:
    project, moved = machine.home / "work", machine.home / "moved"
    project.mkdir()
    wire(machine, scope="project", project=project)
    project.rename(moved)
    assert levels(diagnose(machine))["installed.moved"] == "info"
    told = uninstall.run(machine, uninstall.Options())
    assert "moved" in codes(told)
    unwire(machine, project=moved)
    assert b"runaway" not in (moved / ".claude/settings.json").read_bytes()
    assert "moved" not in codes(uninstall.run(machine, uninstall.Options()))
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
