"""What a person sees of the doctor: four states at a glance, and nothing that must not be shared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runaway.installer.commands import doctor
from runaway.installer.harnesses import claude
from runaway.installer.harnesses.base import Check
from runaway.installer.machine import Machine
from runaway.installer.policy_file import Wishes
from tests.installer.support import diagnose, wire

HEAD = "               installed  allowed  trusted  fires"


def overview(machine: Machine, **options: object) -> list[str]:
    lines = list(diagnose(machine, **options).lines)
    return lines[lines.index(HEAD) + 1 :]


def test_a_healthy_harness_has_four_ticks(wired: Machine) -> None:
    assert overview(wired) == ["  Claude Code  ✓          ✓        ✓        ✓"]


def test_a_state_that_is_in_error_is_crossed(machine: Machine) -> None:
    assert overview(machine) == ["  Claude Code  ✗          ✓        ✓        -"]


def test_a_warning_is_marked(machine: Machine) -> None:
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
