from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine, scratch_machine, this_machine

OUR_FOLDERS = ("data", "config", "state")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with a home and nothing else that moves our folders."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_folder_of_a_scratch_machine_lies_below_its_home(tmp_path: Path) -> None:
    machine = scratch_machine(tmp_path)
    folders = (machine.cwd, machine.data, machine.config, machine.state, machine.root)
    assert all(folder.is_relative_to(tmp_path) for folder in folders)
    assert machine.launcher == tmp_path / ".local/share/runaway/launch"


def test_a_scratch_machine_knows_only_the_variables_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    assert scratch_machine(tmp_path).variable("CLAUDE_CONFIG_DIR") is None
    given = scratch_machine(tmp_path, {"CLAUDE_CONFIG_DIR": "/x"})
    assert given.variable("CLAUDE_CONFIG_DIR") == "/x"


@pytest.mark.parametrize("value", ["", " ", "\t\n"])
def test_a_blank_variable_counts_as_unset(machine: Machine, value: str) -> None:
    assert machine._replace(environ={"X": value}).variable("X") is None


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/u", "~"),
        ("/home/u/.claude/settings.json", "~/.claude/settings.json"),
        ("/home/user2/x", "/home/user2/x"),
        ("/home", "/home"),
        ("/etc/home/u", "/etc/home/u"),
        ("relative/home/u", "relative/home/u"),
    ],
)
def test_only_paths_below_the_home_are_shown_with_a_tilde(path: str, shown: str) -> None:
    assert scratch_machine(Path("/home/u")).tilde(Path(path)) == shown


def test_a_program_is_looked_for_on_the_machines_own_path(tmp_path: Path) -> None:
    program = tmp_path / "bin/agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    machine = scratch_machine(tmp_path, {"PATH": str(program.parent)})
    assert machine.program("agent") == program
    assert machine.program("sh") is None


@pytest.mark.parametrize("name", ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
def test_the_xdg_folders_are_honoured(
    bare: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(bare / "moved"))
    machine = this_machine()
    moved = name.split("_")[1].lower()
    assert getattr(machine, moved) == bare / "moved/runaway"
    for other in set(OUR_FOLDERS) - {moved}:
        assert getattr(machine, other).is_relative_to(bare)


@pytest.mark.parametrize("value", ["", "  ", "relative", "./x/../y"])
def test_a_blank_or_relative_xdg_folder_counts_as_unset(
    bare: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", value)
    moved = this_machine().data
    monkeypatch.delenv("XDG_DATA_HOME")
    assert moved == this_machine().data


def test_a_relative_home_becomes_absolute(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "here")
    machine = this_machine()
    assert machine.home == bare / "here"
    assert all(getattr(machine, name).is_absolute() for name in OUR_FOLDERS)


def test_a_current_folder_that_is_gone_is_told_in_one_sentence(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = bare / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(Refusal) as caught:
        this_machine()
    assert caught.value.code == "no-folder"
