"""The deployed guard and its launcher: whatever is missing, the registered command harms nobody."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer import deploy
from runaway.installer.command import command_for, quote
from runaway.installer.errors import Refusal
from runaway.installer.interpreter import Interpreter, choose
from runaway.installer.machine import Machine, scratch_machine
from tests.installer.files.support import names, tree
from tests.installer.support import (
    NASTY,
    call,
    decision,
    in_shell,
    payload,
    present_shells,
    registered,
)

PYTHON_2 = next(filter(None, map(shutil.which, ("python2", "python2.7"))), None)
NOBODY = 65534


@pytest.fixture
def deployed(machine: Machine) -> Machine:
    deploy.deploy(machine, choose(machine))
    return machine


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A deployed guard that each row of the table below breaks a copy of."""
    machine = scratch_machine(tmp_path_factory.mktemp("original"))
    deploy.deploy(machine, choose(machine))
    return machine


def code(machine: Machine) -> Path:
    return deploy.code_folder(machine, choose(machine))


def swap_python(launcher: Path, python: Path | str) -> None:
    """The launcher with another interpreter, and none to fall back on."""
    text = launcher.read_text()
    for line in text.splitlines():
        if line.startswith("for python in "):
            text = text.replace(line, f"for python in {quote(str(python))}; do")
    launcher.write_text(text)


# -- what is put in place


def test_deploying_twice_changes_nothing(machine: Machine) -> None:
    interpreter = choose(machine)
    first = deploy.deploy(machine, interpreter)
    before = tree(machine.home)
    second = deploy.deploy(machine, interpreter)
    assert (first.changed, second.changed) == (True, False)
    assert tree(machine.home) == before
    assert second.launcher == machine.launcher
    assert second.code == code(machine)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_may_look_in(machine: Machine, umask: int) -> None:
    before = os.umask(umask)
    try:
        deploy.deploy(machine, choose(machine))
    finally:
        os.umask(before)
    wide = [
        str(path)
        for path in (machine.data, *machine.data.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert wide == []


def test_every_module_of_the_guard_lies_there(deployed: Machine) -> None:
    for name, source in deploy.sources().items():
        assert (code(deployed) / "guard" / name).read_bytes() == source
    assert {"run.py", "hook.py", "dialects/claude.py"} <= set(deploy.sources())
    assert names(deployed.data / "guard") == [code(deployed).name]


def test_another_interpreter_gets_another_folder(machine: Machine) -> None:
    one = Interpreter(Path("/a"), (3, 11), "cpython-311")
    other = one._replace(tag="cpython-312")
    assert deploy.code_folder(machine, one) != deploy.code_folder(machine, other)


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
    left = set(names(deployed.data / "guard")) - {"elsewhere"}
    assert left == {code(deployed).name}


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

    def stopped(path: Path, data: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(deploy, "replace_private", stopped)
        with pytest.raises(KeyboardInterrupt):
            deploy.deploy(deployed, choose(deployed))
    new = code(deployed)
    assert sorted(names(deployed.data / "guard")) == sorted([old.name, new.name])
    assert str(old) in deployed.launcher.read_text()
    loop_until_denied(deployed)
    deploy.deploy(deployed, choose(deployed))
    assert str(new) in deployed.launcher.read_text()
    assert old.is_dir()


def test_a_run_that_dies_half_way_leaves_nothing_under_the_final_name(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deploy, "_compile", stopped)
    with pytest.raises(KeyboardInterrupt):
        deploy.deploy(machine, choose(machine))
    assert names(machine.data / "guard") == []
    assert not machine.launcher.exists()


def test_an_interpreter_that_cannot_compile_is_one_sentence(machine: Machine) -> None:
    with pytest.raises(Refusal) as caught:
        deploy.deploy(machine, Interpreter(Path("/bin/false"), (3, 11), "cpython-311"))
    assert caught.value.code == "compile-failed"
    assert "/bin/false" in caught.value.text
    assert names(machine.data / "guard") == []


# -- hostile folders


def test_a_link_planted_as_launcher_is_replaced_and_not_written_through(
    machine: Machine, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    machine.data.mkdir(parents=True)
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
    machine: Machine, tmp_path: Path, plant: Callable[[Machine, Path], None]
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    machine.data.mkdir(parents=True)
    plant(machine, victim)
    with pytest.raises(Refusal) as caught:
        deploy.deploy(machine, choose(machine))
    assert str(machine.data) in caught.value.text
    assert names(victim) == []


# -- the registered command when something is missing


def lose_the_launcher(machine: Machine) -> None:
    machine.launcher.unlink()


def make_the_launcher_unreadable(machine: Machine) -> None:
    machine.launcher.chmod(0)


def make_the_launcher_a_folder(machine: Machine) -> None:
    machine.launcher.unlink()
    machine.launcher.mkdir()


def empty_the_launcher(machine: Machine) -> None:
    machine.launcher.write_bytes(b"")


def fill_the_launcher_with_garbage(machine: Machine) -> None:
    machine.launcher.write_bytes(bytes(range(256)) * 20)


def break_the_launchers_syntax(machine: Machine) -> None:
    machine.launcher.write_text('if [ "$1" = claude; then ( echo "\n{ done fi\n')


def cut_the_launcher_off(machine: Machine) -> None:
    text = machine.launcher.read_bytes()
    machine.launcher.write_bytes(text[: text.index(b"done")])


def lose_every_interpreter(machine: Machine) -> None:
    swap_python(machine.launcher, "/nonexistent/python3")


def lose_the_code(machine: Machine) -> None:
    shutil.rmtree(machine.data / "guard")


def break_the_code(machine: Machine) -> None:
    [folder] = (machine.data / "guard").iterdir()
    (folder / "guard.pyc").unlink()
    (folder / "run.py").write_text("def broken(:\n")


def fill_the_code_with_garbage(machine: Machine) -> None:
    [folder] = (machine.data / "guard").iterdir()
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(bytes(range(256)))


def damage_the_policy(machine: Machine) -> None:
    (machine.data / "policy.json").write_bytes(b'{"limits": ')


def be_refused_by_the_interpreter(machine: Machine) -> None:
    """What Python 2 does with `-I`: exit code 2, which would be a denial."""
    python = machine.home / "python2"
    python.write_text("#!/bin/sh\necho 'Unknown option: -I'\nexit 2\n")
    python.chmod(0o755)
    swap_python(machine.launcher, python)
    machine.launcher.write_text(machine.launcher.read_text())


def crash_in_the_interpreter(machine: Machine) -> None:
    python = machine.home / "python3"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    swap_python(machine.launcher, python)


BREAKAGE = [
    lose_the_launcher,
    make_the_launcher_unreadable,
    make_the_launcher_a_folder,
    empty_the_launcher,
    fill_the_launcher_with_garbage,
    break_the_launchers_syntax,
    cut_the_launcher_off,
    lose_every_interpreter,
    lose_the_code,
    break_the_code,
    fill_the_code_with_garbage,
    damage_the_policy,
    crash_in_the_interpreter,
]


def copy_of(original: Machine, home: Path) -> Machine:
    """The same files elsewhere, with a launcher that names them there."""
    shutil.copytree(original.home, home)
    machine = scratch_machine(home)
    text = machine.launcher.read_text().replace(str(original.home), str(home))
    machine.launcher.write_text(text)
    return machine


@pytest.mark.parametrize("breakage", BREAKAGE, ids=lambda breakage: breakage.__name__)
def test_the_command_is_harmless_in_every_shell(
    original: Machine, tmp_path: Path, breakage: Callable[[Machine], None]
) -> None:
    machine = copy_of(original, tmp_path / "home")
    breakage(machine)
    answers = {shell: call(registered(machine), payload(), shell) for shell in present_shells()}
    assert answers == dict.fromkeys(answers, (0, b""))


def test_a_launcher_that_may_not_be_read_is_harmless(original: Machine, tmp_path: Path) -> None:
    """As another user if we are root, who may read everything."""
    machine = copy_of(original, tmp_path / "home")
    make_the_launcher_unreadable(machine)
    done = subprocess.run(
        ["/bin/sh", "-c", registered(machine)],
        input=payload(),
        capture_output=True,
        cwd="/",
        user=NOBODY if os.geteuid() == 0 else None,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(PYTHON_2 is None, reason="no python2 on PATH")
def test_a_real_python_2_is_harmless(original: Machine, tmp_path: Path) -> None:
    assert PYTHON_2 is not None
    asked = subprocess.run([PYTHON_2, "--version"], capture_output=True, text=True, check=False)
    if not asked.stderr.startswith("Python 2"):
        pytest.skip(f"{PYTHON_2} does not answer as Python 2")
    machine = copy_of(original, tmp_path / "home")
    swap_python(machine.launcher, PYTHON_2)
    assert call(registered(machine), payload()) == (0, b"")


def test_an_interpreter_that_knows_not_our_options_is_harmless(
    original: Machine, tmp_path: Path
) -> None:
    """Python 2 refuses `-I` with exit code 2, which most harnesses take for a denial."""
    machine = copy_of(original, tmp_path / "home")
    python = machine.home / "python2"
    python.write_text("#!/bin/sh\necho 'Unknown option: -I' >&2\nexit 2\n")
    python.chmod(0o755)
    swap_python(machine.launcher, python)
    assert call(registered(machine), payload()) == (0, b"")


def test_what_could_not_be_started_is_in_the_health_log(original: Machine, tmp_path: Path) -> None:
    machine = copy_of(original, tmp_path / "home")
    machine.state.mkdir(parents=True)
    lose_the_code(machine)
    call(registered(machine), payload())
    log = deploy.health_logs(machine)[0].read_text()
    seconds, harness, what = log.split(" ", 2)
    assert (seconds.isdecimal(), harness) == (True, "claude")
    assert what == "launch the guard could not be started\n"


# -- and when all is in place


def loop_until_denied(machine: Machine, session: str = "loop") -> None:
    """Seven equal calls pass without a word, the eighth is denied."""
    command = registered(machine)
    for number in range(1, 8):
        assert call(command, payload(session, number)) == (0, b"")
    code, output = call(command, payload(session, 8))
    assert (code, decision(output)) == (0, "deny")


HOMES = ["with blank", "it's", 'a "home"', "$x $(id)", "(1) [2] & ; #", "ünï 日本 🦊", "back\\slash", NASTY]


@pytest.mark.parametrize("name", HOMES)
def test_the_eighth_equal_call_is_denied_whatever_the_home_is_called(
    tmp_path: Path, name: str
) -> None:
    home = tmp_path / name
    home.mkdir()
    machine = scratch_machine(home)
    deploy.deploy(machine, choose(machine))
    loop_until_denied(machine)


def with_here_document(command: str, data: bytes) -> str:
    """How some harnesses hand over the payload: as a part of the command line."""
    return f"{command} <<'RUNAWAY_END'\n{data.decode()}\nRUNAWAY_END\n"


def test_every_shell_starts_the_guard_by_pipe_and_by_here_document(tmp_path: Path) -> None:
    home = tmp_path / NASTY
    home.mkdir()
    machine = scratch_machine(home)
    deploy.deploy(machine, choose(machine))
    loop_until_denied(machine)
    command, data = registered(machine), payload("loop", 8)  # the same call again: the same answer
    answers = {shell: call(command, data, shell) for shell in present_shells()}
    answers |= {
        f"{shell}, here-document": call(with_here_document(command, data), shell=shell)
        for shell in present_shells()
        if shell != "fish"  # which has none
    }
    assert {way: (code, decision(out)) for way, (code, out) in answers.items()} == dict.fromkeys(
        answers, (0, "deny")
    )


def test_without_the_frozen_file_the_sources_run(deployed: Machine) -> None:
    (code(deployed) / "guard.pyc").unlink()
    loop_until_denied(deployed)


def test_a_frozen_file_of_another_python_is_passed_over(deployed: Machine) -> None:
    (code(deployed) / "guard.pyc").write_bytes(b"\0" * 400)
    loop_until_denied(deployed)


def test_the_system_python_stands_in_for_a_lost_one(deployed: Machine) -> None:
    if not Path("/usr/bin/python3").exists():
        pytest.skip("this machine has no /usr/bin/python3 to fall back on")
    text = deployed.launcher.read_text()
    chosen = f"for python in {quote(str(choose(deployed).path))} "
    assert chosen in text
    deployed.launcher.write_text(text.replace(chosen, "for python in '/nonexistent/python3.11' "))
    loop_until_denied(deployed)


def test_the_command_does_not_depend_on_the_current_folder_or_the_environment(
    deployed: Machine, tmp_path: Path
) -> None:
    for name in ("sh", "date", "json.py", "guard.py", "python3"):
        (tmp_path / name).write_text("raise SystemExit(2)\n")
        (tmp_path / name).chmod(0o755)
    hostile = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), "PYTHONHOME": str(tmp_path)}
    done = subprocess.run(
        in_shell("/bin/sh", command_for(deployed.launcher, "claude")),
        input=payload(),
        capture_output=True,
        env={**hostile, "PYTHONSTARTUP": str(tmp_path / "json.py"), "ENV": str(tmp_path / "sh")},
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (deployed.state / "health.log").exists()


# -- after uninstall


def test_the_launcher_that_is_left_says_nothing(deployed: Machine) -> None:
    deploy.remove_code(deployed)
    assert names(deployed.data) == ["launch"]
    answers = {shell: call(registered(deployed), payload(), shell) for shell in present_shells()}
    assert answers == dict.fromkeys(answers, (0, b""))


def test_no_launcher_is_made_where_none_was(machine: Machine) -> None:
    deploy.remove_code(machine)
    assert not machine.launcher.exists()
