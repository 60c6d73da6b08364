from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.lock import locked
from tests.support.files import mode

HOLDER = """if True:
    import sys, time
    from pathlib import Path
    from runaway.installer.files.lock import locked
    with locked(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(float(sys.argv[2]))
"""


def holder(state: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDER, str(state), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    process.stdout.close()
    return process


def test_the_lock_makes_private_things_and_is_free_afterwards(state: Path) -> None:
    for _ in range(2):
        with locked(state, patience=0):
            assert mode(state) == 0o700
            assert mode(state / "lock") == 0o600


def test_a_held_lock_is_waited_for(state: Path) -> None:
    with holder(state, 0.2) as process, locked(state):
        assert process.wait() == 0


def test_a_lock_that_stays_held_is_refused_with_its_holder(state: Path) -> None:
    with holder(state, 600) as process:
        with pytest.raises(Refusal) as caught, locked(state, patience=0.1):
            pass
        process.kill()
    assert caught.value.code == "locked"
    assert f"process {process.pid}" in caught.value.text


def test_a_killed_holder_leaves_no_lock(state: Path) -> None:
    with holder(state, 600) as process:
        process.send_signal(signal.SIGKILL)
    with locked(state, patience=0):
        pass


def test_a_failure_inside_frees_the_lock(state: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(state):
        raise ZeroDivisionError
    with locked(state, patience=0):
        pass


def test_a_planted_link_is_not_followed(state: Path, tmp_path: Path) -> None:
    state.mkdir(mode=0o700)
    (tmp_path / "victim").write_bytes(b"precious")
    (state / "lock").symlink_to(tmp_path / "victim")
    with pytest.raises(Refusal) as caught, locked(state):
        pass
    assert caught.value.code == "link-loop"
    assert (tmp_path / "victim").read_bytes() == b"precious"


def test_a_state_folder_open_to_all_is_refused(state: Path) -> None:
    state.mkdir()
    state.chmod(0o777)
    with pytest.raises(Refusal) as caught, locked(state):
        pass
    assert caught.value.code == "unsafe-state"
    assert os.listdir(state) == []  # noqa: PTH208


def test_a_file_in_place_of_the_state_folder_is_refused(state: Path) -> None:
    state.write_text("a file")
    with pytest.raises(Refusal), locked(state):
        pass
