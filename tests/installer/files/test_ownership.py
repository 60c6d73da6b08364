from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer.commands import config, doctor, pause, resume, setup, uninstall
from runaway.installer.errors import Refusal
from runaway.installer.files.ownership import name_of, refuse_foreign
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.files import tree
from tests.support.installer import bare_machine, codes, diagnose, unwire, wire

THEM = 65534
as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can own a home and not be its user"
)


def give(folder: Path) -> None:
    """To somebody else, with all that is in it."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, THEM, THEM, follow_symlinks=False)


@pytest.fixture
def theirs(tmp_path: Path) -> Machine:
    """The machine of somebody else, as `sudo -E` shows it to root."""
    machine = bare_machine(tmp_path / "home")
    (machine.home / ".claude").mkdir()
    give(machine.home)
    return machine


def refused(action: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        action()
    return caught.value


@as_root
def test_a_folder_of_somebody_else_is_named_with_the_command_that_is_right(theirs: Machine) -> None:
    refusal = refused(lambda: refuse_foreign(theirs.home / ".local/state/runaway"))
    name = pwd.getpwuid(THEM).pw_name
    assert refusal.code == "foreign-folder"
    assert str(theirs.home) in refusal.text
    assert name in refusal.text
    assert "without sudo" in refusal.fix
    assert "sudo -H" in refusal.fix


@as_root
def test_a_link_of_roots_into_somebody_elses_home_is_no_way_in(
    theirs: Machine, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(theirs.home)
    assert refused(lambda: refuse_foreign(tmp_path / "link/new")).code == "foreign-folder"


def test_ones_own_folders_are_nobody_elses(tmp_path: Path) -> None:
    refuse_foreign(tmp_path)
    refuse_foreign(tmp_path / "not/there/yet")


def test_a_user_whom_the_machine_does_not_know_has_a_number() -> None:
    assert name_of(123_456_789) == "user 123456789"


@as_root
@pytest.mark.parametrize("harness", HARNESSES)
def test_setup_makes_nothing_there_for_any_harness(theirs: Machine, harness: str) -> None:
    before = tree(theirs.home)
    result = wire(theirs, harnesses=(harness,))
    assert (result.exit_code, [row["action"] for row in result.data["harnesses"]]) == (
        1,
        ["refused"],
    )
    assert {message.code for message in result.messages} == {"foreign-folder"}
    assert tree(theirs.home) == before


@as_root
def test_no_command_that_writes_goes_on_there(tmp_path: Path) -> None:
    theirs = bare_machine(tmp_path / "home")
    assert wire(theirs).exit_code == 0
    give(theirs.home)
    before = tree(theirs.home)
    actions: tuple[Callable[[], Result], ...] = (
        lambda: wire(theirs, wishes=Wishes(session_cap=5)),
        lambda: unwire(theirs),
        lambda: unwire(theirs, restore=True),
        lambda: diagnose(theirs),
        lambda: pause.run(theirs, 2e9, 1e9),
        lambda: resume.run(theirs, "last", 0, None),
        lambda: config.put(theirs, "mode", "observe"),
    )
    for action in actions:
        assert told(action) == {"foreign-folder"}
        assert tree(theirs.home) == before


def told(action: Callable[[], Result]) -> set[str]:
    """The codes of what a command says, or refuses with."""
    try:
        return set(codes(action()))
    except Refusal as refusal:
        return {refusal.code}


MOVES: dict[str, Callable[[Machine, Path], Machine]] = {
    "XDG_DATA_HOME": lambda machine, folder: machine._replace(data=folder),
    "XDG_STATE_HOME": lambda machine, folder: machine._replace(state=folder),
    "XDG_CONFIG_HOME": lambda machine, folder: machine._replace(config=folder),
}


@as_root
@pytest.mark.parametrize("moved", MOVES.values(), ids=MOVES.keys())
def test_roots_own_home_with_a_folder_of_ours_elsewhere_is_refused_too(
    tmp_path: Path, moved: Callable[[Machine, Path], Machine]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    give(elsewhere)
    machine = moved(bare_machine(tmp_path / "home"), elsewhere / "runaway")
    wishes = Wishes(session_cap=5)  # which goes into config.toml
    assert refused(lambda: wire(machine, wishes=wishes)).code == "foreign-folder"
    assert list(elsewhere.iterdir()) == []
    assert not (machine.home / ".claude/settings.json").exists()


@as_root
@pytest.mark.parametrize(
    ("harness", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")]
)
def test_settings_that_a_variable_moved_into_somebody_elses_folder_are_refused(
    tmp_path: Path, harness: str, variable: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    give(elsewhere)
    machine = bare_machine(tmp_path / "home", **{variable: str(elsewhere)})
    result = wire(machine, harnesses=(harness,))
    assert [message.code for message in result.messages] == ["foreign-folder"]
    assert list(elsewhere.iterdir()) == []


@as_root
def test_the_owner_of_the_machine_may_keep_the_home_of_the_person_who_asked(
    theirs: Machine,
) -> None:
    """`sudo runaway setup --scope managed` of macOS, where sudo leaves HOME alone."""
    root = theirs.home.parent / "root"
    root.mkdir()
    machine, before = theirs._replace(root=root), tree(theirs.home)
    options = setup.Options(harnesses=("claude",), scope="managed")
    assert setup.run(machine, options).exit_code == 0
    assert (root / "opt/runaway/launch").exists()
    assert uninstall.run(machine, uninstall.Options(managed=True)).exit_code == 0
    assert tree(theirs.home) == before


@as_root
def test_the_doctor_starts_nothing_there(theirs: Machine) -> None:
    options = doctor.Options(harnesses=("claude",), drill=True)
    assert refused(lambda: doctor.run(theirs, options)).code == "foreign-folder"
