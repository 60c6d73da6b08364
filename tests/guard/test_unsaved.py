"""Calls whose state cannot be saved are judged, answered and paid for once, in real processes."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.ledger import Day
from runaway.guard.session import LOCK_WAIT, SLOT
from tests.support.processes import Answer, Guard, payload, run

CALLS = 12
DOLLARS = 4.0
# The program of this argument runs with `posix` or `fcntl` changed.
CHANGED = """
import fcntl, posix, sys
{change}
__file__ = sys.argv.pop(1)
exec(compile(open(__file__).read(), __file__, "exec"))
"""
NO_LOCKS = """
def flock(descriptor, operation):
    raise OSError({errno}, "No locks available")
fcntl.flock = flock
"""
FULL = """
def pwrite(descriptor, data, offset):
    raise OSError(28, "No space left on device")
posix.pwrite = pwrite
"""
KILLED = """
def pwrite(descriptor, data, offset):
    if posix.readlink(f"/proc/self/fd/{descriptor}").count("/sessions/"):
        posix.kill(posix.getpid(), 9)
    return write(descriptor, data, offset)
write, posix.pwrite = posix.pwrite, pwrite
"""


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A log of four responses at a dollar each, just now."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    usage = {"input_tokens": 250_000, "output_tokens": 0}
    message = {"model": "claude-opus-5-5", "usage": usage, "content": []}
    record = {"type": "assistant", "timestamp": stamp}
    file = tmp_path / "t.jsonl"
    told = [{**record, "message": {**message, "id": f"msg_{one}"}} for one in range(4)]
    file.write_text("".join(json.dumps(one) + "\n" for one in told))
    return file


def asked(transcript: Path, number: int, session: str = "s") -> dict[str, object]:
    call = {"tool_input": {"command": f"echo {number}"}, "transcript_path": str(transcript)}
    return payload(session, number, **call)


def changed(guard: Guard, change: str, call: dict[str, object]) -> Answer:
    source = guard._replace(program="run.py")
    python, *_, program, harness = source.command()
    script = CHANGED.replace("{change}", change)
    return run([python, "-I", "-S", "-c", script, program, harness], call)


def booked(guard: Guard) -> float:
    """Dollars of all days, for a test may go on over midnight."""
    days = (guard.state / "ledger").glob("*.jsonl")
    return sum(Day(str(guard.state), path.stem).machine for path in days)


@contextmanager
def held(guard: Guard) -> Iterator[None]:
    """Somebody, such as a hook that was suspended, has the lock."""
    guard.session_file().parent.mkdir(parents=True, exist_ok=True)
    with guard.session_file().open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def a_folder_in_its_place(guard: Guard) -> Iterator[None]:
    guard.session_file().mkdir(parents=True)
    yield
    guard.session_file().rmdir()


@contextmanager
def no_folder_for_sessions(guard: Guard) -> Iterator[None]:
    guard.state.mkdir(parents=True)
    guard.session_file().parent.write_text("")
    yield
    guard.session_file().parent.unlink()


def limited(guard: Guard, call: dict[str, object]) -> Answer:
    """No file may grow beyond a block, so that no slot can be written."""
    shell = f'ulimit -f {SLOT // 512 - 1}; exec "$@"'
    return run(["/bin/sh", "-c", shell, "sh", *guard.command()], call)


WAYS: dict[
    str,
    tuple[
        Callable[[Guard], AbstractContextManager[None]],
        Callable[[Guard, dict[str, object]], Answer],
    ],
] = {
    "locked": (held, Guard.ask),
    "a folder in its place": (a_folder_in_its_place, Guard.ask),
    "no folder": (no_folder_for_sessions, Guard.ask),
    "a full disk": (lambda _: nullcontext(), lambda guard, call: changed(guard, FULL, call)),
    "a limit of size": (lambda _: nullcontext(), limited),
}


@pytest.mark.parametrize("way", WAYS)
def test_money_of_calls_that_cannot_be_saved_is_booked_once(
    guard: Guard, transcript: Path, way: str
) -> None:
    guard.policy(day_cap=20, session_cap=20)
    hinder, ask = WAYS[way]
    calls = 3 if way == "locked" else CALLS  # each of these waits
    with hinder(guard):
        for number in range(calls):
            assert ask(guard, asked(transcript, number)) == (0, b"", b""), number
    assert booked(guard) == DOLLARS
    assert len(guard.health()) >= calls
    assert guard.ask(asked(transcript, CALLS)) == (0, b"", b"")
    assert guard.ask(asked(transcript, 0, "another")) == (0, b"", b"")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="tells files by /proc")
def test_money_of_calls_that_are_killed_between_booking_and_saving_is_booked_once(
    guard: Guard, transcript: Path
) -> None:
    guard.policy(day_cap=20)
    for number in range(CALLS):
        assert changed(guard, KILLED, asked(transcript, number)).exit_code == -signal.SIGKILL
    assert booked(guard) == DOLLARS
    assert guard.ask(asked(transcript, CALLS)) == (0, b"", b"")
    assert booked(guard) == DOLLARS


@pytest.mark.parametrize("damage", [b"", b"x" * 1000, b"0" * 3 * SLOT])
def test_money_of_a_session_whose_file_is_damaged_is_booked_once(
    guard: Guard, transcript: Path, damage: bytes
) -> None:
    guard.policy(day_cap=20)
    for number in range(CALLS):
        assert guard.ask(asked(transcript, number)) == (0, b"", b"")
        guard.session_file().write_bytes(damage)
    assert booked(guard) == DOLLARS


@pytest.mark.parametrize("error", [37, 95, 38], ids=["ENOLCK", "ENOTSUP", "ENOSYS"])
def test_where_there_are_no_locks_everything_is_saved(
    guard: Guard, transcript: Path, error: int
) -> None:
    guard.policy(day_cap=20)
    change = NO_LOCKS.replace("{errno}", str(error))
    for number in range(CALLS):
        assert changed(guard, change, asked(transcript, number)) == (0, b"", b"")
    assert (guard.calls(), booked(guard), guard.health()) == (CALLS, DOLLARS, [])


def test_a_hook_that_hangs_holds_no_call_up_for_long(guard: Guard, transcript: Path) -> None:
    with held(guard):
        started = time.monotonic()
        guard.ask(asked(transcript, 1))
        bare = time.monotonic()
        guard.ask(asked(transcript, 1, "another"))
        assert bare - started < LOCK_WAIT + 5 * (time.monotonic() - bare)


@pytest.mark.long
def test_two_hundred_calls_at_once_lose_nothing(guard: Guard, transcript: Path) -> None:
    for way in (guard.ask, guard.ask_registered):
        shutil.rmtree(guard.state, ignore_errors=True)
        with ThreadPoolExecutor(200) as workers:
            answers = list(workers.map(way, [asked(transcript, one) for one in range(200)]))
        assert {(answer.exit_code, answer.stderr) for answer in answers} == {(0, b"")}
        assert (guard.health(), guard.calls(), booked(guard)) == ([], 200, DOLLARS)


# A state that can be read, but of which nothing can be made.
UNUSABLE = {
    "a list of agents": {"agents": []},
    "an agent of text": {"agents": {"": "x"}},
    "calls of another kind": {"agents": {"": {"calls": [[1]], "count": "x"}}},
    "logs of text": {"logs": "x"},
    "an account of text": {"logs": {"account": {"sum": "x"}, "files": {}}},
    "files of numbers": {"logs": {"files": {"": 7}}},
    "days of text": {"logs": {"days": "x"}},
    "money of text": {"spend": {"total": "x"}},
}


@pytest.mark.parametrize("state", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_session_of_whose_state_nothing_can_be_made_starts_anew(
    guard: Guard, transcript: Path, state: dict[str, object]
) -> None:
    from runaway.guard.session import Session

    guard.policy(session_cap=1)
    session = Session(str(guard.state), "claude", "s")
    damaged: Any = {**state, "extra": 3.5, "lifted_until": 1.0}
    session.state = damaged
    session.save()
    session.close()
    answers = [guard.ask(asked(transcript, number)).decision for number in range(3)]
    assert answers[0] in {"deny", "stop"}, "more is spent than the cap and what was added"
    assert len(guard.health()) == 1, "told once"
    memory = guard.memory()
    assert (memory["extra"], memory["lifted_until"], guard.calls()) == (3.5, 1.0, 3)
    assert (memory["spend"]["total"], booked(guard)) == (DOLLARS, DOLLARS)


# A project's own file that makes no sense.


def test_a_projects_file_that_makes_no_sense_is_told_of_once_by_its_name(
    guard: Guard, tmp_path: Path
) -> None:
    file = tmp_path / ".runaway.json"
    file.write_text("{")
    for number in range(3):
        assert guard.ask(payload(number=number, cwd=str(tmp_path))) == (0, b"", b"")
    [line] = guard.health()
    assert line.split(" ", 2)[2] == f".runaway.json {file} is invalid: not JSON"
    file.write_text("{}")
    guard.ask(payload(number=4, cwd=str(tmp_path)))
    assert len(guard.health()) == 1
    file.write_text("[]")
    guard.ask(payload(number=5, cwd=str(tmp_path)))
    assert len(guard.health()) == 2


def test_a_state_folder_that_cannot_be_written_leaves_a_line_beside_the_policy(
    guard: Guard, transcript: Path
) -> None:
    guard.policy(session_cap=1)
    shutil.rmtree(guard.state, ignore_errors=True)
    guard.state.parent.mkdir(parents=True, exist_ok=True)
    guard.state.write_text("no folder")
    try:
        assert guard.ask(asked(transcript, 1)).decision in {"deny", "stop"}
        assert (guard.machine.data / "health.log").read_text().count("Not a directory") >= 2
    finally:
        guard.state.unlink()


def test_processes_that_share_no_lock_tear_nothing(guard: Guard, transcript: Path) -> None:
    change = NO_LOCKS.replace("{errno}", "37")
    with ThreadPoolExecutor(8) as workers:
        calls = [asked(transcript, number) for number in range(40)]
        list(workers.map(lambda call: changed(guard, change, call), calls))
    assert booked(guard) == DOLLARS
    assert 1 <= guard.calls() <= 40
    assert guard.health() == []


def test_a_kill_at_any_moment_books_nothing_twice(guard: Guard, transcript: Path) -> None:
    for delay in range(0, 40, 2):
        child = subprocess.Popen(
            guard.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={"PATH": os.defpath},
        )
        assert child.stdin
        child.stdin.write(json.dumps(asked(transcript, delay)).encode())
        child.stdin.close()
        time.sleep(delay / 1000)
        child.kill()
        child.wait()
        assert booked(guard) in (0, DOLLARS)
    guard.ask(asked(transcript, 100))
    assert booked(guard) == DOLLARS
