"""Which release is installed: asked, or remembered for those who must start nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runaway.installer.harnesses import release
from runaway.installer.machine import Machine
from tests.support.installer import install_claude

NAME = "claude"


def program(folder: Path, body: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("echo '2.1.332 (Claude Code)'", (2, 1, 332)),
        ("echo 'codex-cli 1.2.3-alpha.4'", (1, 2, 3)),
        ("echo 'what?'", None),
        ("exit 0", None),
        ("echo '2.1.332'; exit 1", None),
    ],
)
def test_the_version_is_what_the_program_says(
    tmp_path: Path, body: str, expected: tuple[int, ...] | None
) -> None:
    assert release.version(program(tmp_path, body), {}) == expected


def test_a_program_that_is_gone_has_no_version(tmp_path: Path) -> None:
    assert release.version(tmp_path / "program", {}) is None


def test_what_it_writes_below_its_home_is_thrown_away(tmp_path: Path) -> None:
    asked = program(tmp_path, 'echo x >"$CODEX_HOME/x"; echo 1.2.3')
    environment = {"CODEX_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    assert release.version(asked, environment) == (1, 2, 3)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["gemini", "opencode", "qwen", "droid", "copilot", "pi", "grok"])
def test_a_persons_home_is_not_written_to(tmp_path: Path, name: str) -> None:
    """As Gemini CLI and OpenCode do, asked for nothing but their version."""
    asked = program(tmp_path, 'mkdir -p "$HOME/.config"; echo x >"$HOME/.config/x"; echo 1.2.3')
    asked = asked.rename(tmp_path / name)
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    assert release.version(asked, environment) == (1, 2, 3)
    assert list(home.iterdir()) == []


def programs(machine: Machine) -> list[Path]:
    return [found] if (found := machine.program(NAME)) else []


def known_release(machine: Machine, *, ask: bool = False) -> release.Version | None:
    [program] = programs(machine)
    return release.of_program(machine, program, ask=ask)


@pytest.fixture
def known(machine: Machine) -> Machine:
    machine.state.mkdir(parents=True, mode=0o700)
    install_claude(machine, "2.1.74")
    release.remember(machine, programs(machine))
    return machine


def test_without_asking_it_is_what_was_told_before(known: Machine) -> None:
    assert known_release(known) == (2, 1, 74)


def test_without_asking_another_program_is_unknown(known: Machine) -> None:
    os.utime(install_claude(known, "2.1.332"), (1, 1))
    assert known_release(known) is None
    assert known_release(known, ask=True) == (2, 1, 332)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 1}', '{"PROGRAM": [1]}', "[" * 9000])
def test_a_damaged_record_is_none_and_is_written_anew(known: Machine, text: str) -> None:
    place = str(known.program(NAME))
    (known.state / release.FILE).write_text(text.replace("PROGRAM", place))
    assert known_release(known) is None
    release.remember(known, programs(known))
    assert known_release(known) == (2, 1, 74)


def test_where_setup_has_never_run_nothing_is_kept(machine: Machine) -> None:
    install_claude(machine, "2.1.74")
    release.remember(machine, programs(machine))
    assert not machine.state.exists()
