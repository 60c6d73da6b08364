"""The console script on a terminal: questions, answers and Ctrl-C."""

from __future__ import annotations

import errno
import fcntl
import json
import signal
import subprocess
import time
from pathlib import Path

import pexpect
import pytest

from runaway.installer.harnesses.registry import HARNESSES
from tests.installer.console import SCRIPT, SETTINGS, SETUP, environment, run, settings_in
from tests.support.files import tree


def on_terminal(home: Path, *arguments: str, columns: int = 80) -> pexpect.spawn[bytes]:
    return pexpect.spawn(
        str(SCRIPT),
        list(arguments),
        env=environment(home, NO_COLOR="1", TERM="xterm-256color"),
        cwd=str(home),
        timeout=30,
        dimensions=(24, columns),
    )


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_doctor_says_on_a_terminal_what_it_says_in_a_pipe(home: Path, harness: str) -> None:
    """Some guards look whether somebody is there to answer: the doctor's own terminal is not that."""
    run(home, "setup", "--non-interactive", "--harness", harness)
    out = home / "out.json"
    command = f"'{SCRIPT}' doctor --harness {harness} --json"
    child = pexpect.spawn(
        "/bin/sh", ["-c", f"{command} | cat >'{out}'"], env=environment(home), cwd=str(home)
    )
    child.expect(pexpect.EOF, timeout=60)
    child.close()
    direct = on_terminal(home, "doctor", "--harness", harness, "--json")
    direct.expect(pexpect.EOF, timeout=60)
    direct.close()
    shown = json.loads(direct.before or b"")
    piped = run(home, "doctor", "--harness", harness, "--json").told
    for told in (shown, json.loads(out.read_bytes())):
        assert told["data"] == piped["data"]
    assert [
        check["level"] for check in piped["data"]["checks"] if check["check"] == "fires.command"
    ] == ["ok"]


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize(
    "line", ["status", "doctor --harness claude", "prices check", "config get no", "setup --x"]
)
def test_a_terminal_breaks_no_word_and_no_table(home: Path, line: str, columns: int) -> None:
    """A word may only be wider than the whole line."""
    child = on_terminal(home, *line.split(), columns=columns)
    child.expect(pexpect.EOF)
    lines = (child.before or b"").decode().splitlines()
    assert [one for one in lines if len(one) > columns and " " in one.strip()] == []
    ran = run(home, *line.split())
    assert set((ran.out + ran.err).decode().split()) <= set(" ".join(lines).split())


@pytest.mark.parametrize(("answer", "code"), [("\x03", 130), ("n\r", 130)], ids=["Ctrl-C", "no"])
def test_whoever_does_not_say_yes_keeps_everything(home: Path, answer: str, code: int) -> None:
    before = tree(home)
    child = on_terminal(home, "uninstall")
    child.expect_exact("[y/N]")
    child.send(answer)
    child.expect(pexpect.EOF)
    child.wait()
    child.close()
    assert child.exitstatus == code
    assert b"Traceback" not in (child.before or b"")
    assert tree(home) == before


def test_a_yes_on_the_terminal_removes_the_guard(home: Path) -> None:
    file = settings_in(home)
    run(home, *SETUP)
    child = on_terminal(home, "uninstall")
    child.expect_exact("Remove the guard from every harness?")
    child.send("y\r")
    child.expect(pexpect.EOF)
    child.wait()
    child.close()
    assert child.exitstatus == 0
    assert b"\x1b" not in (child.before or b"")  # NO_COLOR
    assert file.read_bytes() == SETTINGS


def test_the_question_does_not_spoil_the_object(home: Path, tmp_path: Path) -> None:
    """stdin and stderr are a terminal, stdout goes elsewhere: `runaway uninstall --json | jq`."""
    out = tmp_path / "out"
    command = f"'{SCRIPT}' uninstall --json >'{out}'"
    child = pexpect.spawn("/bin/sh", ["-c", command], env=environment(home), timeout=30)
    child.expect_exact("[y/N]")
    child.send("y\r")
    child.expect(pexpect.EOF)
    assert json.loads(out.read_bytes())["command"] == "uninstall"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at open files in /proc")
def test_ctrl_c_while_waiting_for_another_run_changes_nothing(home: Path) -> None:
    file = settings_in(home)
    lock = home / ".local/state/runaway/lock"
    lock.parent.mkdir(parents=True, mode=0o700)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        child = subprocess.Popen(
            [str(SCRIPT), *SETUP, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home),
        )
        while not has_open(child.pid, lock):
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert json.loads(out)["status"] == "interrupted"
    assert err == b""
    assert file.read_bytes() == SETTINGS
    assert not (home / ".local/share/runaway/launch").exists()


def has_open(pid: int, path: Path) -> bool:
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if link.readlink() == path:
                return True
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
    return False
