"""The registered command, its launcher and the guard behind it: whatever is missing, nobody is harmed."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runaway.installer import deploy, policy_file
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import ANY_HOME, command_for, quote
from runaway.installer.machine import Machine, scratch_machine
from tests.support.files import names
from tests.support.installer import (
    NASTY,
    NO_HERE_DOCUMENT,
    call,
    decision,
    in_shell,
    loop_until_denied,
    payload,
    present_shells,
    registered,
)

PYTHON_2 = next(filter(None, map(shutil.which, ("python2", "python2.7"))), None)
NOBODY = 65534


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


def crash_in_the_interpreter(machine: Machine) -> None:
    python = machine.home / "python3"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    swap_python(machine.launcher, python)


BREAKAGE = [
    lose_the_launcher,
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


# -- what the launcher writes down then


COULD_NOT = "claude launch the guard could not be started\n"


@pytest.fixture
def lost(original: Machine, tmp_path: Path) -> Machine:
    """A guard whose code is gone, with a folder to write that down in."""
    machine = copy_of(original, tmp_path / "home")
    machine.state.mkdir(parents=True)
    lose_the_code(machine)
    return machine


def health(machine: Machine) -> Path:
    return deploy.health_logs(machine)[0]


def test_what_could_not_be_started_is_in_the_health_log(lost: Machine) -> None:
    call(registered(lost), payload())
    seconds, what = health(lost).read_text().split(" ", 1)
    assert (seconds.isdecimal(), what) == (True, COULD_NOT)
    assert health(lost).stat().st_mode & 0o777 == 0o600


def test_a_line_is_added_to_those_that_are_there(lost: Machine) -> None:
    health(lost).write_text("1 claude hook earlier\n")
    call(registered(lost), payload(), now="a variable of the person's")
    first, second = health(lost).read_text().splitlines(keepends=True)
    assert (first, second.split(" ", 1)[1]) == ("1 claude hook earlier\n", COULD_NOT)


def test_without_a_folder_of_state_the_line_is_beside_the_launcher(lost: Machine) -> None:
    lost.state.rmdir()
    call(registered(lost), payload())
    assert deploy.health_logs(lost)[1].read_text().endswith(COULD_NOT)


@pytest.mark.parametrize("target", ["theirs", "missing"])
def test_the_log_is_not_written_through_a_link(lost: Machine, target: str) -> None:
    (lost.home / "theirs").write_text("mine\n")
    health(lost).symlink_to(lost.home / target)
    assert call(registered(lost), payload()) == (0, b"")
    assert (lost.home / "theirs").read_text() == "mine\n"
    assert not (lost.home / "missing").exists()


def test_a_pipe_in_place_of_the_log_keeps_nobody_waiting(lost: Machine) -> None:
    os.mkfifo(health(lost))
    assert call(registered(lost), payload()) == (0, b"")


def test_a_folder_in_place_of_the_log_is_harmless(lost: Machine) -> None:
    health(lost).mkdir()
    assert call(registered(lost), payload()) == (0, b"")


def test_each_harness_gets_its_own_way_of_saying_nothing(lost: Machine) -> None:
    say_nothing = command_for(lost.launcher, "antigravity")
    assert call(say_nothing, payload()) == (0, b'{"decision":"allow"}\n')
    assert call(registered(lost), payload(), CURSOR_VERSION="3.0") == (0, b"{}\n")


# -- where no process can be started


@pytest.fixture
def house_of_nobody(original: Machine) -> Iterator[Machine]:
    """A guard in a home that an unprivileged user can enter; `tmp_path` is for its owner alone."""
    with tempfile.TemporaryDirectory() as folder:
        machine = copy_of(original, Path(folder, "home"))
        machine.state.mkdir(parents=True)
        for path in (Path(folder), machine.home, *machine.home.rglob("*")):
            path.chmod(0o755)
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)
        yield machine


def without_processes(command: str, shell: str, **environ: str) -> tuple[int, bytes, bytes]:
    """As a user who has as many processes as the system allows; root knows no such limit."""
    program, *arguments = in_shell(shell, command)
    done = subprocess.run(
        [shutil.which(program) or program, *arguments],
        input=payload(),
        capture_output=True,
        env={"PATH": os.environ["PATH"], **environ},
        cwd="/",
        user=NOBODY if os.geteuid() == 0 else None,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)),
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_shell_that_can_start_no_process_ends_with_an_error() -> None:
    """What the guard has to cope with: exit code 2 denies every call in most harnesses."""
    code, _, errors = without_processes("sh -c true; sh -c true", "dash")
    assert (code, b"fork" in errors) == (2, True)


def test_where_no_process_can_be_started_the_call_passes(house_of_nobody: Machine) -> None:
    machine = house_of_nobody
    quick = [shell for shell in present_shells() if shell != "fish"]  # which needs a thread itself
    answers = {shell: without_processes(registered(machine), shell) for shell in quick}
    assert answers == dict.fromkeys(answers, (0, b"", b""))
    assert health(machine).read_text() == f"? {COULD_NOT}" * len(quick)


def test_where_no_process_can_be_started_each_harness_gets_its_answer(
    house_of_nobody: Machine,
) -> None:
    machine = house_of_nobody
    say_nothing = command_for(machine.launcher, "antigravity")
    assert without_processes(say_nothing, "/bin/sh") == (0, b'{"decision":"allow"}\n', b"")
    told = without_processes(registered(machine), "/bin/sh", CURSOR_VERSION="3.0")
    assert told == (0, b"{}\n", b"")


# -- and when all is in place


@pytest.mark.parametrize("name", ["with blank", "it's", "new\nline", NASTY])
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
        if shell not in NO_HERE_DOCUMENT
    }
    assert {way: (code, decision(out)) for way, (code, out) in answers.items()} == dict.fromkeys(
        answers, (0, "deny")
    )


def test_without_the_frozen_file_the_sources_run(deployed: Machine) -> None:
    (code(deployed) / "guard.pyc").unlink()
    loop_until_denied(deployed)


def test_the_sources_obey_the_same_policy_and_remember_in_the_same_place(
    deployed: Machine,
) -> None:
    (code(deployed) / "guard.pyc").unlink()
    config = b'[limits]\n"loop.same_call" = [0, 2, 3, 4]\n'
    policy_file.install(deployed, policy_file.compiled(deployed, config))
    assert call(registered(deployed), payload("s", 1)) == (0, b"")
    assert decision(call(registered(deployed), payload("s", 2))[1]) == "deny"
    assert len(names(deployed.state / "sessions")) == 1


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


def plant(folder: Path) -> Path:
    """Programs and modules by the names of those that a guard may need."""
    folder.mkdir(exist_ok=True)
    for name in ("sh", "date", "command", "true", "json.py", "guard.py", "python3", "printf"):
        (folder / name).write_text(
            f"#!/bin/sh\necho {name} >>{quote(str(folder / 'run'))}\nexit 2\n"
        )
        (folder / name).chmod(0o755)
    return folder


SEARCH_PATHS = {
    "not expanded": "$HOME/bin:$PATH",
    "empty": "",
    "a folder that is not there": "/nonexistent",
    "planted programs first": "{planted}:/usr/bin:/bin",
    "nothing but planted programs": "{planted}",
}


@pytest.mark.parametrize("path", SEARCH_PATHS.values(), ids=SEARCH_PATHS.keys())
def test_the_guard_answers_under_any_search_path_in_every_shell(
    deployed: Machine, tmp_path: Path, path: str
) -> None:
    planted = plant(tmp_path / "planted")
    loop_until_denied(deployed)
    again, path = payload("loop", 8), path.format(planted=planted)
    answers = {
        shell: call(registered(deployed), again, shell, PATH=path) for shell in present_shells()
    }
    assert {shell: (code, decision(out)) for shell, (code, out) in answers.items()} == (
        dict.fromkeys(answers, (0, "deny"))
    )
    deployed.state.mkdir(parents=True)
    lose_the_code(deployed)
    assert call(registered(deployed), again, PATH=path) == (0, b"")
    assert health(deployed).read_text().split(" ", 1)[1] == COULD_NOT
    assert not (planted / "run").exists()


def test_the_command_does_not_depend_on_the_current_folder_or_the_environment(
    deployed: Machine, tmp_path: Path
) -> None:
    plant(tmp_path)
    hostile = {"PATH": str(tmp_path), "PYTHONPATH": str(tmp_path), "PYTHONHOME": str(tmp_path)}
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


# -- where a denial is an exit code


KIRO = "kiro"


def exit_code(machine: Machine, data: bytes, shell: str = "/bin/sh") -> tuple[int, bytes, bytes]:
    """And output and errors of Kiro's command; it is started with `bash -c`."""
    program, *arguments = in_shell(shell, command_for(machine.launcher, KIRO))
    done = subprocess.run(
        [shutil.which(program) or program, *arguments],
        input=data,
        capture_output=True,
        env={"PATH": os.environ["PATH"]},
        cwd="/",
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_denial_is_its_exit_code_and_a_text_in_every_shell(tmp_path: Path) -> None:
    home = tmp_path / NASTY
    home.mkdir()
    machine = scratch_machine(home)
    deploy.deploy(machine, choose(machine))
    for _ in range(7):
        assert exit_code(machine, payload()) == (0, b"", b"")
    answers = {shell: exit_code(machine, payload(), shell) for shell in present_shells()}
    for code, output, errors in answers.values():
        assert (code, output) == (2, b"")
        assert errors.startswith(b"[runaway] the same Bash call was made ")


def test_its_portable_form_denies_in_every_shell_too(deployed: Machine) -> None:
    command = command_for(ANY_HOME, KIRO)
    ways = {shell: in_shell(shell, command) for shell in present_shells()}
    for _ in range(7):
        assert exit_code(deployed, payload())[0] == 0
    for program, *arguments in ways.values():
        done = subprocess.run(
            [shutil.which(program) or program, *arguments],
            input=payload(),
            capture_output=True,
            env={"PATH": os.environ["PATH"], "HOME": str(deployed.home)},
            timeout=30,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr[:9]) == (2, b"", b"[runaway]")


@pytest.mark.parametrize("breakage", BREAKAGE, ids=lambda breakage: breakage.__name__)
def test_nothing_that_is_broken_makes_that_exit_code(
    original: Machine, tmp_path: Path, breakage: Callable[[Machine], None]
) -> None:
    machine = copy_of(original, tmp_path / "home")
    breakage(machine)
    answers = {shell: exit_code(machine, payload(), shell)[:2] for shell in present_shells()}
    assert answers == dict.fromkeys(answers, (0, b""))


@pytest.mark.parametrize(
    "text", ["exit 2", "echo '[runaway' >&2; exit 2", "echo text; exit 2", "kill -9 $$"]
)
def test_no_launcher_that_fails_makes_it(original: Machine, tmp_path: Path, text: str) -> None:
    machine = copy_of(original, tmp_path / "home")
    machine.launcher.write_text(text)
    code, output, _ = exit_code(machine, payload())
    assert (code, output) in ((0, b""), (-9, b""))


def test_where_no_process_can_be_started_it_does_not_deny(house_of_nobody: Machine) -> None:
    command = command_for(house_of_nobody.launcher, KIRO)
    quick = [shell for shell in present_shells() if shell != "fish"]  # which needs a thread itself
    answers = {shell: without_processes(command, shell)[:2] for shell in quick}
    assert answers == dict.fromkeys(answers, (0, b""))


@pytest.mark.parametrize("data", [b"", payload()])
def test_a_pipe_that_is_never_closed_keeps_nobody_waiting(deployed: Machine, data: bytes) -> None:
    """As Kiro's editor before 1.0 leaves it."""
    process = subprocess.Popen(
        in_shell("bash", command_for(deployed.launcher, KIRO)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin
        process.stdin.write(data)
        process.stdin.flush()
        assert process.wait(timeout=30) == 0
    assert not (deployed.state / "health.log").exists()


# -- after uninstall


def test_the_launcher_that_is_left_says_nothing(deployed: Machine) -> None:
    deploy.remove_code(deployed)
    assert names(deployed.data) == ["launch"]
    answers = {shell: call(registered(deployed), payload(), shell) for shell in present_shells()}
    assert answers == dict.fromkeys(answers, (0, b""))


def test_no_launcher_is_made_where_none_was(bare: Machine) -> None:
    deploy.remove_code(bare)
    assert not bare.launcher.exists()
