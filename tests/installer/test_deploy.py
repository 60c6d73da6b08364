from __future__ import annotations

import importlib.util
import marshal
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer import deploy
from runaway.installer.errors import Refusal
from runaway.installer.interpreter import Interpreter, choose
from runaway.installer.machine import Machine
from tests.support.files import names, tree
from tests.support.installer import (
    call,
    loop_until_denied,
    payload,
    registered,
)


def code(machine: Machine) -> Path:
    return deploy.code_folder(machine, choose(machine))


# -- what is put in place


def test_deploying_twice_changes_nothing(bare: Machine) -> None:
    interpreter = choose(bare)
    first = deploy.deploy(bare, interpreter)
    before = tree(bare.home)
    second = deploy.deploy(bare, interpreter)
    assert (first.changed, second.changed) == (True, False)
    assert tree(bare.home) == before
    assert second.launcher == bare.launcher
    assert second.code == code(bare)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_may_look_in(bare: Machine, umask: int) -> None:
    before = os.umask(umask)
    try:
        deploy.deploy(bare, choose(bare))
    finally:
        os.umask(before)
    wide = [
        str(path)
        for path in (bare.data, *bare.data.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert wide == []


def test_every_module_of_the_guard_lies_there(deployed: Machine) -> None:
    for name, source in deploy.sources().items():
        assert (code(deployed) / "guard" / name).read_bytes() == source
    assert {"run.py", "hook.py", "dialects/claude.py"} <= set(deploy.sources())
    assert names(deployed.data / "guard") == [code(deployed).name]


def test_another_interpreter_gets_another_folder(bare: Machine) -> None:
    one = Interpreter(Path("/a"), (3, 11), "cpython-311")
    other = one._replace(tag="cpython-312")
    assert deploy.code_folder(bare, one) != deploy.code_folder(bare, other)


# -- damage and upgrades


def lose_the_frozen_file(folder: Path) -> None:
    (folder / "guard.pyc").unlink()


def change_a_module(folder: Path) -> None:
    (folder / "guard/hook.py").write_bytes(b"raise SystemExit(2)\n")


def lose_a_module(folder: Path) -> None:
    (folder / "guard/dialects/claude.py").unlink()


def link_a_module(folder: Path) -> None:
    module = folder / "guard/hook.py"
    module.rename(folder / "hook.moved")
    module.symlink_to(folder / "hook.moved")


def break_run(folder: Path) -> None:
    (folder / "run.py").write_bytes(b"def broken(:\n")


def compile_another_guard(folder: Path) -> None:
    """It answers nothing, whoever asks; the sources beside it are the true ones."""
    program = marshal.dumps(compile("", "guard.pyc", "exec"))
    (folder / "guard.pyc").write_bytes(importlib.util.MAGIC_NUMBER + bytes(12) + program)


def change_a_group(folder: Path) -> None:
    (folder / "frozen/guard.wires.tamper.group").write_bytes(b"")


def change_a_cached_module(folder: Path) -> None:
    next(folder.glob("guard/__pycache__/hook.*.pyc")).write_bytes(b"")


def lose_the_cached_modules(folder: Path) -> None:
    shutil.rmtree(folder / "guard/__pycache__")


def add_a_module(folder: Path) -> None:
    (folder / "guard/json.py").write_bytes(b"")


def add_a_group(folder: Path) -> None:
    (folder / "frozen/json.group").write_bytes(b"")


def add_a_folder(folder: Path) -> None:
    (folder / "encodings").mkdir()


def link_the_frozen_file(folder: Path) -> None:
    (folder / "guard.pyc").rename(folder.parent / "moved")
    (folder / "guard.pyc").symlink_to(folder.parent / "moved")


def link_a_folder(folder: Path) -> None:
    (folder / "frozen").rename(folder.parent / "moved")
    (folder / "frozen").symlink_to(folder.parent / "moved")


def let_others_write_a_file(folder: Path) -> None:
    (folder / "guard.pyc").chmod(0o666)


def let_others_write_a_folder(folder: Path) -> None:
    (folder / "frozen").chmod(0o770)


def be_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"")


def be_empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def be_a_link(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


DAMAGE = [
    lose_the_frozen_file,
    change_a_module,
    lose_a_module,
    link_a_module,
    break_run,
    compile_another_guard,
    change_a_group,
    change_a_cached_module,
    lose_the_cached_modules,
    add_a_module,
    add_a_group,
    add_a_folder,
    link_the_frozen_file,
    link_a_folder,
    let_others_write_a_file,
    let_others_write_a_folder,
    be_a_file,
    be_empty,
    be_a_link,
]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_folder_is_seen_and_replaced(
    deployed: Machine, damage: Callable[[Path], None]
) -> None:
    interpreter = choose(deployed)
    damage(code(deployed))
    assert not deploy.is_current(deployed, interpreter)
    assert call(registered(deployed), payload()) == (0, b"")
    assert deploy.deploy(deployed, interpreter).changed
    assert deploy.is_current(deployed, interpreter)
    assert not code(deployed).is_symlink()
    assert [name for name in names(deployed.data / "guard") if name.startswith(".")] == []


def test_where_nothing_can_be_exchanged_the_damaged_folder_is_moved_aside(
    deployed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploy, "exchange", lambda first, second: False)
    change_a_module(code(deployed))
    deploy.deploy(deployed, choose(deployed))
    assert deploy.is_current(deployed, choose(deployed))
    assert names(deployed.data / "guard") == [code(deployed).name]


def test_the_old_launcher_and_code_work_until_the_new_launcher_is_in_place(
    deployed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = code(deployed)
    monkeypatch.setattr(deploy, "__version__", "99.0")

    def stopped(machine: Machine, path: Path, data: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(deploy, "put", stopped)
        with pytest.raises(KeyboardInterrupt):
            deploy.deploy(deployed, choose(deployed))
    new = code(deployed)
    assert sorted(names(deployed.data / "guard")) == sorted([old.name, new.name])
    assert str(old) in deployed.launcher.read_text()
    loop_until_denied(deployed)
    os.utime(old, (1, 1))
    deploy.deploy(deployed, choose(deployed))
    assert str(new) in deployed.launcher.read_text()
    assert old.is_dir(), "a call may have begun a moment ago, however old the code is"


def test_a_run_that_dies_half_way_leaves_nothing_under_the_final_name(
    bare: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deploy, "_place", stopped)
    with pytest.raises(KeyboardInterrupt):
        deploy.deploy(bare, choose(bare))
    assert names(bare.data / "guard") == []
    assert not bare.launcher.exists()


def test_an_interpreter_that_cannot_compile_is_one_sentence(bare: Machine) -> None:
    with pytest.raises(Refusal) as caught:
        deploy.deploy(bare, Interpreter(Path("/bin/false"), (3, 11), "cpython-311"))
    assert caught.value.code == "compile-failed"
    assert "/bin/false" in caught.value.text
    assert names(bare.data / "guard") == []


def test_only_others_who_may_write_the_launcher_make_it_another(deployed: Machine) -> None:
    deployed.launcher.chmod(0o622)
    assert not deploy.is_current(deployed, choose(deployed))
    assert deploy.deploy(deployed, choose(deployed)).changed
    assert stat.S_IMODE(deployed.launcher.stat().st_mode) == 0o600


def test_building_twice_gives_the_same_bytes(bare: Machine) -> None:
    """In folders of other names, and whatever the environment says."""
    first = deploy.built(choose(bare))
    deploy._built.cache_clear()
    assert deploy.built(choose(bare)) == first
    assert {"run.py", "guard.pyc", "guard/hook.py", "frozen/guard.words.group"} <= set(first)


def test_running_the_guard_adds_nothing_to_its_folder(deployed: Machine) -> None:
    """Not even under another Python, or from the sources."""
    before = tree(code(deployed))
    for program in ("guard.pyc", "run.py"):
        python, file = str(choose(deployed).path), str(code(deployed) / program)
        subprocess.run([python, "-I", "-S", file, "claude"], input=payload(program), check=True)
    (code(deployed) / "guard.pyc").unlink()
    shutil.rmtree(code(deployed) / "guard/__pycache__")
    loop_until_denied(deployed)
    assert set(tree(code(deployed))) <= set(before)
    assert not (code(deployed) / "guard/__pycache__").exists()


# -- hostile folders


def test_a_link_planted_as_launcher_is_replaced_and_not_written_through(
    machine: Machine, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    machine.data.mkdir(parents=True, mode=0o700)
    machine.launcher.symlink_to(victim)
    deploy.deploy(machine, choose(machine))
    assert victim.read_bytes() == b"precious"
    assert not machine.launcher.is_symlink()
    assert deploy.is_current(machine, choose(machine))


def test_a_link_to_the_very_same_bytes_is_replaced_too(deployed: Machine) -> None:
    moved = deployed.launcher.rename(deployed.data / "moved")
    deployed.launcher.symlink_to(moved)
    assert not deploy.is_current(deployed, choose(deployed))
    deploy.deploy(deployed, choose(deployed))
    assert not deployed.launcher.is_symlink()


def plant_a_link_as_code_folder(machine: Machine, victim: Path) -> None:
    (machine.data / "guard").symlink_to(victim)


def plant_a_folder_as_launcher(machine: Machine, victim: Path) -> None:
    (machine.launcher / "full").mkdir(parents=True)


def plant_a_file_as_code_folder(machine: Machine, victim: Path) -> None:
    (machine.data / "guard").write_bytes(b"")


def let_everybody_write(machine: Machine, victim: Path) -> None:
    machine.data.chmod(0o777)


PLANTED = [
    plant_a_link_as_code_folder,
    plant_a_folder_as_launcher,
    plant_a_file_as_code_folder,
    let_everybody_write,
]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_what_cannot_be_ours_is_refused_in_one_sentence(
    bare: Machine, tmp_path: Path, plant: Callable[[Machine, Path], None]
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    bare.data.mkdir(parents=True)
    plant(bare, victim)
    with pytest.raises(Refusal) as caught:
        deploy.deploy(bare, choose(bare))
    assert str(bare.data) in caught.value.text
    assert names(victim) == []
