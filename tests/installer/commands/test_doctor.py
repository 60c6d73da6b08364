from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer import deploy, interpreter
from runaway.installer.commands import doctor, status
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.claude import paths
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.files import tree
from tests.support.installer import (
    call,
    diagnose,
    entry,
    hooks,
    install_claude,
    levels,
    payload,
    registered,
    unwire,
    user_file,
    wire,
)

HEALTHY = {
    "installed.code": "ok",
    "installed.interpreter": "ok",
    "installed.entry": "ok",
    "allowed.disabled": "ok",
    "trusted.consent": "ok",
    "fires.command": "ok",
    "fires.health": "ok",
}


@pytest.fixture
def wired(machine: Machine) -> Machine:
    """With the program there, which older releases than today's would not bind to everything."""
    install_claude(machine, "2.1.332")
    wire(machine)
    return machine


def test_a_healthy_setup_is_all_ok_and_exits_0(wired: Machine) -> None:
    call(registered(wired), payload())
    result = diagnose(wired)
    assert levels(result) == HEALTHY | {"fires.seen": "ok"}
    assert (result.exit_code, result.status, result.messages) == (0, "ok", ())


def test_examining_changes_no_setting_and_nothing_of_ours_but_the_log_of_trips(
    wired: Machine,
) -> None:
    diagnose(wired)
    before = tree(wired.home)
    diagnose(wired)
    after = tree(wired.home)
    sessions = {".local/state/runaway/sessions", ".local/state/runaway/trips.jsonl"}
    assert {path for path in before | after if before.get(path) != after.get(path)} <= sessions


def test_before_setup_everything_that_is_missing_is_told(machine: Machine) -> None:
    result = diagnose(machine)
    assert result.exit_code == 1
    found = levels(result)
    assert (found["installed.code"], found["installed.entry"]) == ("error", "error")
    assert found["fires.command"] == "skipped"
    assert all(check["fix"] for check in result.data["checks"] if check["level"] == "error")


def test_after_uninstall_it_is_not_installed(wired: Machine) -> None:
    unwire(wired)
    found = levels(diagnose(wired))
    assert (found["installed.code"], found["installed.entry"]) == ("error", "error")


# -- our own files


def change_the_launcher(machine: Machine) -> None:
    machine.launcher.write_text("exit 0\n")


def link_the_launcher(machine: Machine) -> None:
    moved = machine.launcher.rename(machine.home / "moved")
    machine.launcher.symlink_to(moved)


def make_the_launcher_a_folder(machine: Machine) -> None:
    machine.launcher.unlink()
    machine.launcher.mkdir()


def change_a_module(machine: Machine) -> None:
    next(machine.data.glob("guard/*/guard/hook.py")).write_text("")


def lose_the_code(machine: Machine) -> None:
    shutil.rmtree(machine.data / "guard")


def lose_the_frozen_file(machine: Machine) -> None:
    next(machine.data.glob("guard/*/guard.pyc")).unlink()


DAMAGE = [
    change_the_launcher,
    link_the_launcher,
    make_the_launcher_a_folder,
    change_a_module,
    lose_the_code,
    lose_the_frozen_file,
]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_what_is_not_as_setup_wrote_it_is_an_error(
    wired: Machine, damage: Callable[[Machine], None]
) -> None:
    damage(wired)
    result = diagnose(wired)
    assert (levels(result)["installed.code"], result.exit_code) == ("error", 1)


def test_a_machine_without_python_is_an_error(
    wired: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(machine: Machine) -> interpreter.Interpreter:
        raise Refusal("No Python.", code="no-interpreter")

    monkeypatch.setattr(doctor, "choose", none)
    assert levels(diagnose(wired))["installed.interpreter"] == "error"


# -- fires


@pytest.mark.parametrize(
    "damage", [change_the_launcher, lose_the_code], ids=lambda damage: damage.__name__
)
def test_fires_really_runs_the_registered_command(
    wired: Machine, damage: Callable[[Machine], None]
) -> None:
    damage(wired)
    assert levels(diagnose(wired))["fires.command"] == "error"


def test_a_copy_of_the_guard_that_is_broken_inside_is_found_by_running_it(
    wired: Machine,
) -> None:
    """The module that judges raises: the guard lets all pass, and says so in its log."""
    for frozen in wired.data.glob("guard/*/guard.pyc"):
        frozen.unlink()
    for hook in wired.data.glob("guard/*/guard/hook.py"):
        hook.write_text(hook.read_text().replace("def reply(", "def reply(*_):\n    1 / 0\ndef x("))
    result = diagnose(wired)
    assert levels(result)["fires.command"] == "error"


def test_a_guard_that_only_observes_is_a_warning_and_no_failure(machine: Machine) -> None:
    wire(machine, wishes=Wishes("observe"))
    result = diagnose(machine)
    assert (levels(result)["fires.command"], result.exit_code) == ("warning", 0)


# -- the harness's own checks are among them


def test_a_kill_switch_makes_the_doctor_exit_1(wired: Machine) -> None:
    settings = json.loads(user_file(wired).read_bytes())
    user_file(wired).write_text(json.dumps(settings | {"disableAllHooks": True}))
    result = diagnose(wired)
    assert (levels(result)["allowed.disabled"], result.exit_code) == ("error", 1)
    [message] = result.messages
    assert (message.level, message.code, message.harness) == ("error", "allowed.disabled", "claude")


def test_a_switch_of_the_organisation_makes_it_exit_1(wired: Machine) -> None:
    path = paths.managed_folder(wired) / "managed-settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"allowManagedHooksOnly": true}')
    assert levels(diagnose(wired))["allowed.managed"] == "error"


def test_a_wrong_and_a_double_entry_are_told(wired: Machine) -> None:
    user_file(wired).write_bytes(hooks(entry(wired, timeout=60), entry(wired)))
    result = diagnose(wired)
    found = levels(result)
    assert (found["installed.entry"], found["installed.once"]) == ("warning", "warning")
    assert result.exit_code == 0


def test_the_project_is_the_one_that_is_named(wired: Machine, tmp_path: Path) -> None:
    file = tmp_path / "project/.claude/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"disableAllHooks": true}')
    assert diagnose(wired).exit_code == 0
    assert diagnose(wired, project=tmp_path / "project").exit_code == 1


# -- the health log


@pytest.mark.parametrize("place", [0, 1], ids=["in state", "in data"])
def test_what_the_guard_logged_is_shown_with_its_age(wired: Machine, place: int) -> None:
    log = deploy.health_logs(wired)[place]
    an_hour_ago = int(time.time()) - 3700
    log.write_text(f"{an_hour_ago} claude hook.py:5 ValueError: odd\n")
    result = diagnose(wired)
    assert (levels(result)["fires.health"], result.exit_code) == ("warning", 0)
    [message] = [one for one in result.messages if one.code == "fires.health"]
    assert message.text.startswith("1 hour ago the guard let a call through")
    assert message.text.endswith("claude hook.py:5 ValueError: odd")
    assert wired.tilde(log) in (message.fix or "")


def test_of_a_long_log_the_newest_lines_are_shown(wired: Machine) -> None:
    log = deploy.health_logs(wired)[0]
    now = int(time.time())
    log.write_text("".join(f"{now} claude error {number}\n" for number in range(1000)))
    shown = [one.text for one in diagnose(wired).messages if one.code == "fires.health"]
    assert len(shown) == doctor.HEALTH_LINES
    assert shown[-1].endswith("error 999")


@pytest.mark.parametrize("place", [0, 1], ids=["in state", "in data"])
def test_what_is_long_past_is_not_shown_as_if_it_were_now(wired: Machine, place: int) -> None:
    log = deploy.health_logs(wired)[place]
    past = int(time.time()) - 70 * 86400
    log.write_text(f"{past} claude hook.py:5 ValueError: odd\n" * 9)
    assert levels(diagnose(wired))["fires.health"] == "ok"
    assert status.run(wired, time.time()).data["health"] == 0
    with log.open("a") as file:
        file.write(f"{int(time.time())} claude hook.py:5 ValueError: new\n")
    [message] = [one for one in diagnose(wired).messages if one.code == "fires.health"]
    assert message.text.endswith("ValueError: new")
    assert status.run(wired, time.time()).data["health"] == 1


def test_a_state_folder_that_cannot_be_used_is_an_error(wired: Machine) -> None:
    (wired.state / "sessions").write_text("no folder")
    result = diagnose(wired)
    assert (levels(result)["fires.state"], result.exit_code) == ("error", 1)
    assert any("Not a directory" in one.text for one in result.messages)
    assert status.run(wired, time.time()).lines[0].startswith("NOT armed. The guard can remember")


def test_a_projects_file_that_makes_no_sense_is_named_with_its_reason(
    wired: Machine, tmp_path: Path
) -> None:
    project = tmp_path / "a project"
    project.mkdir()
    file = project / ".runaway.json"
    file.write_text("{")
    told = f"{int(time.time())} claude .runaway.json {file} is invalid: not JSON\n"
    deploy.health_logs(wired)[0].write_text(told)
    result = diagnose(wired)
    [message] = [one for one in result.messages if one.level == "warning"]
    assert message.code == "fires.project"
    assert "a project/.runaway.json is invalid: " in message.text
    seen = status.run(wired, time.time())
    assert (seen.data["health"], len(seen.data["invalid"])) == (0, 1)
    file.write_text("{}")
    assert "fires.project" not in levels(diagnose(wired))
    deploy.health_logs(wired)[0].unlink()
    file.write_text("[]")
    assert levels(diagnose(wired, project=project))["fires.project"] == "warning"


@pytest.mark.parametrize(
    "line",
    [b"torn", b"\xff\xfe no text", b"\xc2\xb2 superscript", b"nan x", b"inf x", b"9" * 400],
)
def test_a_torn_line_of_the_log_is_shown_as_it_is(wired: Machine, line: bytes) -> None:
    deploy.health_logs(wired)[0].write_bytes(line + b"\n")
    result = diagnose(wired)
    [message] = [one for one in result.messages if one.code == "fires.health"]
    assert message.text.startswith("Some time ago the guard let a call through")


def test_a_log_that_is_no_file_is_no_crash(wired: Machine) -> None:
    deploy.health_logs(wired)[0].mkdir()
    assert levels(diagnose(wired))["fires.health"] == "ok"


# -- which harnesses, and how it is told


def test_an_unknown_harness_is_a_mistake_that_lists_the_known_ones(wired: Machine) -> None:
    with pytest.raises(Refusal) as caught:
        diagnose(wired, harnesses=("emacs",))
    assert (caught.value.usage, "claude" in caught.value.text) == (True, True)


def test_without_names_only_detected_harnesses_are_examined(machine: Machine) -> None:
    assert {check["harness"] for check in diagnose(machine, harnesses=()).data["checks"]} == {""}
    user_file(machine, b"{}")
    seen = {check["harness"] for check in diagnose(machine, harnesses=()).data["checks"]}
    assert seen == {"", "claude"}


def test_a_drill_without_the_program_is_skipped(wired: Machine) -> None:
    (wired.home / "bin/claude").unlink()
    assert levels(diagnose(wired, drill=True))["drill"] == "skipped"


def test_a_check_has_exactly_the_keys_of_the_contract(wired: Machine) -> None:
    for check in diagnose(wired).data["checks"]:
        assert list(check) == ["harness", "check", "level", "message", "fix"]
        assert check["level"] in doctor.ORDER


def test_the_worst_comes_first_and_each_problem_with_its_remedy(machine: Machine) -> None:
    lines = diagnose(machine, verbose=True).lines[1:-1]
    marks = [line[0] for line in lines if not line.startswith(" ")]
    order = [doctor.MARKS[level] for level in doctor.ORDER]
    assert marks == sorted(marks, key=order.index)
    assert lines[1] == "    Run `runaway setup`."
