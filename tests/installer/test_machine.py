from __future__ import annotations

import os
import pwd
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


@pytest.mark.parametrize("home", ["", " ", "here", "./here", "~", "..", "$HOME"])
def test_a_home_that_is_no_absolute_path_is_refused(
    bare: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """Of the empty one `~/.claude` would be `/.claude`."""
    (bare / "here").mkdir()
    monkeypatch.setenv("HOME", home)
    with pytest.raises(Refusal) as caught:
        this_machine()
    assert (caught.value.code, "HOME" in caught.value.fix) == ("no-home", True)
    assert repr(home) in caught.value.text


@pytest.mark.parametrize("home", ["file", "missing", "missing/below", "file/below", "dangling"])
def test_a_home_that_is_no_folder_is_refused_and_none_is_made(
    bare: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (bare / "file").write_text("")
    (bare / "dangling").symlink_to(bare / "nowhere")
    monkeypatch.setenv("HOME", str(bare / home))
    with pytest.raises(Refusal) as caught:
        this_machine()
    assert caught.value.code == "no-home"
    assert str(bare / home) in caught.value.text
    assert sorted(path.name for path in bare.iterdir()) == ["dangling", "file"]


def test_without_home_the_user_database_is_asked(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    entry = pwd.getpwuid(os.getuid())
    monkeypatch.setattr(pwd, "getpwuid", lambda _: struct_passwd_of(entry, str(bare)))
    machine = this_machine()
    assert machine.home == bare
    assert all(getattr(machine, name).is_relative_to(bare) for name in OUR_FOLDERS)


def struct_passwd_of(entry: pwd.struct_passwd, home: str) -> pwd.struct_passwd:
    return pwd.struct_passwd((*entry[:5], home, entry.pw_shell))


def test_a_user_whom_nobody_knows_is_told_in_one_sentence(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(Refusal) as caught:
        this_machine()
    assert caught.value.code == "no-home"


@pytest.mark.parametrize("path", [".", "", "bin", "./bin", "..:bin", ":bin:", "~/bin", ".:{empty}"])
def test_no_program_is_taken_from_where_we_happen_to_be(
    bare: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (bare / "empty").mkdir()
    for folder in (bare, bare / "bin", bare / "~/bin"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "claude").write_text("#!/bin/sh\n")
        (folder / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", path.format(empty=bare / "empty"))
    assert this_machine().program("claude") is None
    assert scratch_machine(bare, {"PATH": os.environ["PATH"]}).program("claude") is None
    monkeypatch.setenv("PATH", f"{path}:{bare}/bin")
    assert this_machine().program("claude") == bare / "bin/claude"


def test_programs_that_we_start_look_for_others_in_absolute_folders_only(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CLI that begins with `#!/usr/bin/env node` would take the `node` of the folder."""
    monkeypatch.setenv("PATH", f".:{bare}:node_modules/.bin::/usr/bin")
    assert this_machine().environ["PATH"] == f"{bare}:/usr/bin"


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
