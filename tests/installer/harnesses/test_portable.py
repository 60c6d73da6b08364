"""One entry for several homes: shared dotfiles, and a project's file that everybody checks out.

Public cases: yvgude/lean-ctx#708, open-gsd/gsd-core#3662, microsoft/apm#1396,
Graphify-Labs/graphify#3149.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.guard.tampering.registered import ANYWHERE
from runaway.installer.commands import status
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.launch_command import ANY_HOME, command_for, is_at_home, same_place
from runaway.installer.machine import Machine
from tests.support.installer import (
    NASTY,
    NO_HERE_DOCUMENT,
    bare_machine,
    call,
    diagnose,
    levels,
    payload,
    present_shells,
    row,
    unwire,
    wire,
)

COMMAND = command_for(ANY_HOME, "claude")
PROJECTS = [name for name, one in HARNESSES.items() if "project" in one.SCOPES]
PLUGINS = ("opencode", "pi")  # hold the script and not the command


def settings_of(machine: Machine, name: str, **options: object) -> Path:
    return Path(row(wire(machine, harnesses=(name,), **options))["path"])


# The command.


@pytest.fixture
def guarded_home(tmp_path: Path) -> Machine:
    machine = bare_machine(tmp_path / NASTY)
    wire(machine)
    return machine


def sessions(machine: Machine) -> int:
    return len(list((machine.state / "sessions").glob("*")))


def as_text(command: str) -> str:
    return command


def with_here_document(command: str) -> str:
    return f"{command} <<'END'\n{payload().decode()}\nEND"


@pytest.mark.parametrize("shell", present_shells())
@pytest.mark.parametrize("written", [as_text, with_here_document])
def test_every_shell_finds_the_launcher_of_whoever_runs_it(
    guarded_home: Machine, shell: str, written: Callable[[str], str]
) -> None:
    if written is with_here_document and shell in NO_HERE_DOCUMENT:
        pytest.skip("this shell has none")
    command = written(COMMAND)
    # fish garbles a HOME beyond ASCII where the locale is not UTF-8
    environ = {"HOME": str(guarded_home.home), "LANG": "C.UTF-8"}
    assert call(command, payload(), shell, **environ) == (0, b"")
    assert sessions(guarded_home) == 1


@pytest.mark.parametrize("shell", present_shells())
def test_where_there_is_no_guard_it_says_nothing(tmp_path: Path, shell: str) -> None:
    assert call(COMMAND, payload(), shell, HOME=str(tmp_path)) == (0, b"")


@pytest.mark.parametrize("folder", ["elsewhere", "Library/Application Support"])
def test_it_is_found_where_the_data_of_programs_is(tmp_path: Path, folder: str) -> None:
    home = tmp_path / NASTY
    moved = {"XDG_DATA_HOME": str(home / folder)} if folder == "elsewhere" else {}
    machine = bare_machine(home, **moved)._replace(data=home / folder / "runaway")
    wire(machine)
    assert is_at_home(machine)
    assert call(COMMAND, payload(), HOME=str(home), **moved) == (0, b"")
    assert sessions(machine) == 1


def test_a_harness_that_replaces_variables_leaves_it_as_it_is() -> None:
    """Gemini CLI: `$NAME` and `${NAME}` in any text of its settings."""
    variables = re.compile(r"\$(?:(\w+)|\{([^}]+)\})")
    assert variables.findall(ANYWHERE)
    assert not variables.findall(COMMAND)


def test_it_is_the_same_only_where_it_finds_this_launcher(machine: Machine) -> None:
    assert same_place(COMMAND, machine)
    assert not same_place(COMMAND, machine._replace(data=machine.home / "opt/runaway"))
    assert not same_place(COMMAND.replace("claude", "claud"), machine)


# Setup.


@pytest.mark.parametrize("name", HARNESSES)
def test_a_portable_entry_names_no_home_and_is_no_fault(machine: Machine, name: str) -> None:
    path = settings_of(machine, name, portable=True)
    before = path.read_bytes()
    assert str(machine.home).encode() not in before
    assert b"XDG_DATA_HOME" in before
    found = diagnose(machine, harnesses=(name,)).data["checks"]
    installed = [one for one in found if one["check"].startswith("installed.entry")]
    assert {one["level"] for one in installed} == {"ok"}
    [fires] = [one for one in found if one["check"] == "fires.command"]
    assert fires["level"] == "ok", fires
    assert wire(machine, harnesses=(name,)).status == "unchanged", "plain setup keeps it"
    assert path.read_bytes() == before
    unwire(machine, harnesses=(name,))
    assert not path.exists() or b"XDG_DATA_HOME" not in path.read_bytes()


@pytest.mark.parametrize("name", HARNESSES)
def test_the_form_changes_when_somebody_says_so(machine: Machine, name: str) -> None:
    path = settings_of(machine, name)
    assert str(machine.home).encode() in path.read_bytes()
    assert row(wire(machine, harnesses=(name,), portable=True))["action"] == "updated"
    assert str(machine.home).encode() not in path.read_bytes()


@pytest.mark.parametrize("name", PROJECTS)
def test_a_projects_file_serves_whoever_checks_it_out(tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    author, other = bare_machine(tmp_path / "author"), bare_machine(tmp_path / "other")
    path = settings_of(author, name, scope="project", project=project)
    assert str(author.home).encode() not in path.read_bytes()
    wire(other, harnesses=(name,))
    checked = wire(other, harnesses=(name,), scope="project", project=project, check=True)
    assert (checked.status, checked.exit_code) == ("unchanged", 0)
    found = levels(diagnose(other, harnesses=(name,), project=project))
    assert found["installed.entry"] == "ok"


def test_a_launcher_that_it_would_not_find_is_told(machine: Machine) -> None:
    moved = machine._replace(data=machine.home / "opt/runaway")
    with pytest.raises(Refusal, match="would not find") as caught:
        wire(moved, portable=True)
    assert caught.value.code == "not-portable"
    with pytest.raises(Refusal) as caught:
        wire(machine, scope="managed", portable=True)
    assert caught.value.usage


# Two homes, one file.


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "qwen", "droid", "cursor"])
def test_each_home_keeps_its_own_entry_in_a_shared_file(tmp_path: Path, name: str) -> None:
    first, second = bare_machine(tmp_path / "first"), bare_machine(tmp_path / "second")
    path = settings_of(first, name)
    alone = path.read_bytes()
    shared = second.home / path.relative_to(first.home)
    shared.parent.mkdir(parents=True)
    shared.symlink_to(path)
    assert row(wire(second, harnesses=(name,)))["action"] == "added"
    both = path.read_bytes()
    for one in (first, second):
        assert wire(one, harnesses=(name,)).status == "unchanged"
        assert str(one.launcher).encode() in both
        found = levels(diagnose(one, harnesses=(name,)))
        assert (found["installed.entry"], found["installed.other-home"]) == ("ok", "info")
        assert "installed.once" not in found
    unwire(second, harnesses=(name,))
    assert path.read_bytes() == alone


def test_only_another_homes_entry_is_no_guard_of_ours(tmp_path: Path) -> None:
    first, second = bare_machine(tmp_path / "first"), bare_machine(tmp_path / "second")
    path = settings_of(first, "claude")
    shared = second.home / ".claude/settings.json"
    shared.parent.mkdir()
    shared.symlink_to(path)
    assert levels(diagnose(second))["installed.entry"] == "error"
    [mine] = [
        one for one in status.run(second, 1.0).data["harnesses"] if one["harness"] == "claude"
    ]
    assert mine["armed"] is False
