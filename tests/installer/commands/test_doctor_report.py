"""What a person sees of the doctor: four states at a glance, and nothing that must not be shared."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest

from runaway.installer import health
from runaway.installer.commands import doctor
from runaway.installer.harnesses import claude
from runaway.installer.harnesses.base import Check, Level
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.installer import call, diagnose, install_claude, payload, registered, wire

HEAD = "               installed  allowed  trusted  fires"


@pytest.fixture
def wired(machine: Machine) -> Machine:
    """With the program there, which older releases than today's would not bind to everything."""
    install_claude(machine, "2.1.332")
    wire(machine)
    return machine


def overview(machine: Machine, **options: object) -> list[str]:
    lines = list(diagnose(machine, **options).lines)
    assert lines[-1] == lines[0], "the summary"
    return lines[lines.index(HEAD) + 1 : -1]


def test_a_healthy_harness_has_four_ticks(wired: Machine) -> None:
    call(registered(wired), payload())
    assert overview(wired) == ["  Claude Code  ✓          ✓        ✓        ✓"]


def test_before_its_first_run_in_the_agent_there_is_no_tick_for_fires(wired: Machine) -> None:
    assert overview(wired) == ["  Claude Code  ✓          ✓        ✓        i"]


@pytest.mark.parametrize(
    ("level", "mark"), [("error", "✗"), ("warning", "!"), ("info", "i"), ("skipped", "-")]
)
def test_a_drill_that_proves_nothing_takes_the_tick_of_fires_away(
    wired: Machine, monkeypatch: pytest.MonkeyPatch, level: Level, mark: str
) -> None:
    def drill(*_: object) -> tuple[Check, ...]:  # no real program is started
        return (Check("claude", "drill", level, "The drill."),)

    call(registered(wired), payload())
    monkeypatch.setattr(doctor, "_drilled", drill)
    assert overview(wired, drill=True) == [f"  Claude Code  ✓          ✓        ✓        {mark}"]


def lose_the_code(machine: Machine) -> None:
    shutil.rmtree(machine.data / "guard")


def lose_the_launcher(machine: Machine) -> None:
    machine.launcher.unlink()


def tear_the_policy(machine: Machine) -> None:
    (machine.data / "policy.json").write_text("{")


def edit_the_config(machine: Machine) -> None:
    machine.config.mkdir(parents=True)
    (machine.config / "config.toml").write_text("[spend]\nsession_cap = 5\n")


@pytest.mark.parametrize(
    ("damage", "states"),
    [
        (lose_the_code, "✗          ✓        ✓        ✗"),
        (lose_the_launcher, "✗          ✓        ✓        -"),
        (tear_the_policy, "✗          ✓        ✓        ✗"),
        (edit_the_config, "✗          ✓        ✓        ✓"),
    ],
)
def test_what_is_wrong_on_the_whole_machine_is_wrong_in_every_row(
    wired: Machine, damage: Callable[[Machine], None], states: str
) -> None:
    call(registered(wired), payload())
    damage(wired)
    [row] = overview(wired)
    assert row == f"  Claude Code  {states}"


def test_a_state_folder_that_cannot_be_used_is_in_every_row(
    wired: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(registered(wired), payload())
    full = Check("", "fires.state", "error", "No space left on device")
    monkeypatch.setattr(health, "state_problem", lambda _: full)
    assert overview(wired) == ["  Claude Code  ✓          ✓        ✓        ✗"]


def test_a_state_that_is_in_error_is_crossed(machine: Machine) -> None:
    assert overview(machine, verbose=True) == ["  Claude Code  ✗          ✓        ✓        -"]


def test_a_warning_is_marked(machine: Machine) -> None:
    install_claude(machine, "2.1.332")
    wire(machine, wishes=Wishes("observe"))
    assert overview(machine) == ["  Claude Code  ✓          ✓        ✓        !"]


def test_every_examined_harness_has_a_row(wired: Machine) -> None:
    rows = overview(wired, harnesses=("claude", "codex", "cursor"))
    assert [row.split("  ")[1] for row in rows] == ["Claude Code", "Codex", "Cursor"]


def test_without_a_harness_there_is_no_table(machine: Machine) -> None:
    assert not any("trusted" in line for line in diagnose(machine, harnesses=()).lines)


def test_what_is_told_can_be_shared(wired: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths below the home directory are shortened, secrets are masked, also in `--json`."""

    def checks(machine: Machine, project: object) -> Iterator[Check]:
        text = f"{machine.home}/x and '{machine.home}/y' with token=abcdefgh12345678"
        yield Check("claude", "allowed.odd", "error", text, f"Look at {machine.home}/z.")

    monkeypatch.setattr(claude, "checks", checks)
    [told] = [one for one in diagnose(wired).data["checks"] if one["check"] == "allowed.odd"]
    assert told["message"] == "~/x and '~/y' with token=***"
    assert told["fix"] == "Look at ~/z."
    assert str(wired.home) not in repr(diagnose(wired))


def test_progress_tells_what_is_looked_at(wired: Machine) -> None:
    told: list[str] = []
    doctor.run(wired, doctor.Options(("claude", "codex")), told.append)
    assert told == ["Looking at Claude Code, Codex"]


def test_the_summary_counts_and_what_is_in_order_is_shown_on_demand(wired: Machine) -> None:
    call(registered(wired), payload())
    lines = diagnose(wired).lines
    assert lines[0] == lines[-1] == "No problem found."
    assert not [line for line in lines if line.startswith("✓")]
    shown = diagnose(wired, verbose=True).lines
    assert any(line.startswith("✓ claude fires.command") for line in shown)
    assert diagnose(wired, quiet=True).lines == ()


def test_a_problem_comes_with_its_remedy(wired: Machine) -> None:
    lose_the_code(wired)
    lines = diagnose(wired).lines
    assert lines[0].startswith("2 problems")
    assert "    Run `runaway setup`." in lines


def test_before_setup_one_sentence_is_enough(machine: Machine) -> None:
    result = diagnose(machine)
    assert result.exit_code == 1
    assert result.lines == ("The guard is not set up on this machine. Run `runaway setup`.",)
    assert len(diagnose(machine, verbose=True).lines) > 5
