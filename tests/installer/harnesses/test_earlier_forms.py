"""Entries that earlier releases wrote: of every harness whose entry is a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard.tampering import registered
from runaway.installer import launch_command
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from tests.support.installer import codes, diagnose, row, unwire, wire

# Files of two start the shell themselves, and Kiro's command has no earlier form.
RUN_COMMANDS = sorted(set(HARNESSES) - {"opencode", "pi", "kiro"})


def wire_as_before(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, name: str, **more: bool
) -> Path:
    """As a release did that wrote the earlier form; the file that holds it."""
    with monkeypatch.context() as earlier:
        earlier.setattr(launch_command, "TODAY", registered.EARLIER[0])
        result = wire(machine, harnesses=(name,), **more)
    path = Path(result.data["harnesses"][0]["path"])
    assert b"exec" not in path.read_bytes()
    assert launch_command.may_name(path.read_bytes())
    return path


@pytest.mark.parametrize("name", RUN_COMMANDS)
def test_setup_renews_it_in_place(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, name: str
) -> None:
    path = wire_as_before(monkeypatch, machine, name)
    before = path.read_bytes()
    assert row(wire(machine, harnesses=(name,)))["action"] == "updated"
    assert path.read_bytes() == before.replace(b'"sh -c', b'"exec /bin/sh -c')
    assert row(wire(machine, harnesses=(name,)))["action"] == "unchanged"


@pytest.mark.parametrize("name", RUN_COMMANDS)
def test_the_doctor_accepts_it_and_asks_for_another_setup(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, name: str
) -> None:
    wire_as_before(monkeypatch, machine, name)
    found = diagnose(machine, harnesses=(name,)).data["checks"]
    entries = [check for check in found if check["check"] == "installed.entry"]
    assert {check["level"] for check in entries} == {"warning"}
    assert all("older form" in check["message"] for check in entries)
    assert all("`runaway setup" in check["fix"] for check in entries)
    errors = {check["check"] for check in found if check["level"] == "error"}
    assert errors <= {"trusted.consent"}  # nobody told Codex to trust it


@pytest.mark.parametrize("restore", [False, True])
@pytest.mark.parametrize("name", RUN_COMMANDS)
def test_uninstall_takes_it_out(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, name: str, restore: bool
) -> None:
    path = wire_as_before(monkeypatch, machine, name)
    assert unwire(machine, harnesses=(name,), restore=restore).exit_code == 0
    assert not path.exists() or not launch_command.may_name(path.read_bytes())


def trust_levels(machine: Machine) -> list[tuple[str, str]]:
    found = diagnose(machine, harnesses=("codex",)).data["checks"]
    return [
        (check["level"], check["message"].partition(":")[2].strip())
        for check in found
        if check["check"] == "trusted.consent"
    ]


def test_codex_goes_on_trusting_it_until_it_is_renewed(
    monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:
    """The hash that Codex compares covers the command, so a renewed one needs consent anew."""
    wire_as_before(monkeypatch, machine, "codex", trust_codex_hook=True)
    assert {level for level, _ in trust_levels(machine)} == {"ok"}
    renewed = wire(machine, harnesses=("codex",))
    assert "next-step" in codes(renewed)
    assert set(trust_levels(machine)) == {("error", "they changed since they were trusted.")}
    wire(machine, harnesses=("codex",), trust_codex_hook=True)
    assert {level for level, _ in trust_levels(machine)} == {"ok"}


def test_uninstall_forgets_the_trust_in_it(
    monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:
    wire_as_before(monkeypatch, machine, "codex", trust_codex_hook=True)
    config = machine.home / ".codex/config.toml"
    assert b"trusted_hash" in config.read_bytes()
    unwire(machine, harnesses=("codex",))
    assert not config.exists() or b"trusted_hash" not in config.read_bytes()
