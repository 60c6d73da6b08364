"""The state of a session survives whatever happens to it: parallel calls, kills, damage."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaway.guard import session as session_module
from runaway.guard.call import digest
from runaway.guard.fastjson import dumps
from runaway.guard.session import HEADER, SLOT, Session, file_name, peek
from tests.support.processes import Guard, payload, run

# Writes `cut` bytes of the state, then kills itself as if the power were gone.
TORN = """
import posix, sys
write, cut = posix.pwrite, int(sys.argv.pop(1))
def torn(descriptor, data, offset):
    write(descriptor, data[:cut if cut >= 0 else len(data) + cut], offset)
    posix.kill(posix.getpid(), 9)
posix.pwrite = torn
__file__ = sys.argv.pop(1)
exec(compile(open(__file__).read(), __file__, "exec"))
"""


def save(state: str, **values: Any) -> Path:
    session = Session(state, "claude", "s")
    session.state = {**session.state, **values}  # type: ignore[typeddict-item]
    try:
        session.save()
    finally:
        session.close()
    return Path(state) / "sessions" / file_name("claude", "s")


def load(state: str) -> dict[str, Any]:
    session = Session(state, "claude", "s")
    session.close()
    return cast("dict[str, Any]", session.state)


def test_what_was_saved_is_there_again_and_for_its_owner_alone(state: str) -> None:
    assert load(state) == {}
    file = save(state, money=1.5, text="\ud83d é \u2028")
    save(state, more=[1])
    assert load(state) == {"money": 1.5, "text": "\ud83d é \u2028", "more": [1]} == peek(str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_smaller_state_after_a_larger_one_has_nothing_of_it_left(state: str) -> None:
    for size in (5000, 10, 3000, 1):
        save(state, text="x" * size)
    assert load(state) == {"text": "x"}


@pytest.mark.parametrize("session", ["", "../../etc/passwd", "a/b", "x" * 10_000, "\x00", "\ud83d"])
def test_no_session_id_leads_out_of_the_folder(state: str, session: str) -> None:
    name = file_name("claude", session)
    assert name.isascii()
    assert Path(name).name == name
    Session(state, "claude", session).close()
    assert [path.name for path in Path(state).rglob("*.json")] == [name]


def test_sessions_and_harnesses_do_not_share_a_file() -> None:
    names = {file_name(harness, session) for harness in ("claude", "codex") for session in "ab"}
    assert len(names) == 4


@pytest.mark.parametrize("damage", ["newest header", "newest text", "cut off"])
def test_damage_to_the_newest_state_leaves_the_one_before(state: str, damage: str) -> None:
    for number in range(3):
        file = save(state, number=number)
    newest = SLOT  # the third save went to the second place
    data = bytearray(file.read_bytes())
    assert b'"number":2' in data[newest:]
    if damage == "cut off":
        data = data[: newest + HEADER + 4]
    else:
        data[newest + (30 if damage == "newest header" else HEADER + 3)] ^= 1
    file.write_bytes(data)
    assert load(state) == {"number": 1}
    save(state, number=10)
    assert load(state) == {"number": 10}


@pytest.mark.parametrize(
    "start",
    [
        b"000000000000001 -00000005 0123456789ab",
        b"000000000000001 999999999999999 012345",
        b"-00000000000001 000000002 0123456789ab",
        b"1 2",
        b"\xff" * HEADER,
        "٣ ٣ x".encode(),
    ],
)
def test_a_header_that_nobody_wrote_counts_for_nothing(state: str, start: bytes) -> None:
    file = save(state)
    file.write_bytes(start.ljust(HEADER) + b"{}")
    assert load(state) == {}
    save(state, number=1)
    assert load(state) == {"number": 1}


@pytest.mark.hypothesis
@given(st.binary(max_size=200), st.integers(0, SLOT), st.booleans())
def test_no_content_of_the_file_makes_it_unusable(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, offset: int, holed: bool
) -> None:
    state = str(tmp_path_factory.getbasetemp() / "any")
    file = save(state, number=1)
    with file.open("r+b") as opened:
        opened.seek(offset)
        opened.write(data)
        if holed:
            opened.truncate()
    assert load(state).get("number") in (1, None)
    save(state, number=2)
    assert load(state)["number"] == 2
    file.unlink()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "STALLED", 0.1)
    monkeypatch.setattr(session_module, "LOCK_WAIT", 0.4)


def test_who_waits_too_long_for_the_lock_reads_but_does_not_write(
    state: str, impatient: None
) -> None:
    save(state, number=1)
    first = Session(state, "claude", "s")
    second = Session(state, "claude", "s")
    assert first.fault is None
    assert second.state == {"number": 1}
    with pytest.raises(TimeoutError):
        second.save()
    second.close()
    first.close()
    assert Session(state, "claude", "s").fault is None


def test_who_holds_the_lock_is_waited_for_as_long_as_others_save(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn of the clock another has saved, until it is our turn."""
    file, turns = save(state), iter([False] * 60 + [True])
    moments = iter(range(1000))

    def next_turn(_: int) -> bool:
        os.utime(file, (next(moments), next(moments)))
        return next(turns)

    clock = iter(number * 0.05 for number in range(1000))
    monkeypatch.setattr(session_module, "try_lock", next_turn)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr(session_module, "LOCK_WAIT", 1e9)
    assert Session(state, "claude", "s").fault is None
    assert not list(turns)


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL])
def test_where_there_are_no_locks_it_goes_on_without_and_saves(
    state: str, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def no_locks(_descriptor: int, _operation: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr("fcntl.flock", no_locks)
    for number in range(3):
        save(state, number=number)
    assert load(state) == {"number": 2}


@pytest.mark.parametrize(
    "text", ["[]", "null", "7", "[" * 100_000, "{", '{"a":'], ids=lambda text: text[:6]
)
@pytest.mark.parametrize("other", [True, False], ids=["and one before", "alone"])
def test_a_slot_that_holds_no_state_is_passed_over_and_written_again(
    state: str, text: str, other: bool
) -> None:
    file = save(state, number=1)  # in the second place
    header = f"{2:015d} {len(text):09d} {digest(f'2 {text}')}".ljust(HEADER)
    data = bytearray(file.read_bytes().ljust(2 * SLOT, b"\0"))
    data[: HEADER + len(text)] = (header + text).encode()
    if not other:
        data[SLOT:] = b""
    file.write_bytes(data)
    assert load(state) == ({"number": 1} if other else {})
    for number in range(2, 5):
        save(state, number=number)
        assert load(state) == {"number": number}


def test_a_slot_that_cannot_be_read_leaves_the_other(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(state, number=1)
    save(state, number=2)

    def with_a_bad_sector(descriptor: int, length: int, offset: int) -> bytes:
        if offset < SLOT:
            raise OSError(errno.EIO, "Input/output error")
        return os.pread(descriptor, length, offset)

    monkeypatch.setattr(session_module, "pread", with_a_bad_sector)
    assert load(state) == {"number": 1}
    save(state, number=3)


@pytest.mark.parametrize("sequence", ["9" * 17, "1" + "0" * 15, "1" + "0" * 14])
def test_a_sequence_number_near_the_end_of_its_room_does_not_end_the_saving(
    state: str, sequence: str
) -> None:
    file, text = save(state), "{}"
    header = f"{sequence} 2 {digest(f'{sequence} {text}')}".ljust(HEADER)
    file.write_bytes(b"".ljust(SLOT * (int(sequence) % 2), b"\0") + (header + text).encode())
    for number in range(4):
        save(state, number=number)
        assert load(state) == {"number": number}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_disk_that_takes_nothing_or_only_a_part_leaves_the_state_before(
    state: str, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    save(state, number=1)

    def refused(_descriptor: int, _data: bytes, _offset: int) -> int:
        raise OSError(error, os.strerror(error))

    def in_part(descriptor: int, data: bytes, offset: int) -> int:
        return os.pwrite(descriptor, data[: len(data) // 2], offset)

    for full in (refused, in_part):
        with monkeypatch.context() as patch:
            patch.setattr(session_module, "pwrite", full)
            with pytest.raises(OSError, match=r"bytes|\w+"):
                save(state, number=2)
        assert load(state) == {"number": 1}
    save(state, number=3)
    assert load(state) == {"number": 3}


def test_the_largest_memory_that_can_come_about_fits() -> None:
    from runaway.guard.evidence import ANNOUNCED
    from runaway.guard.policy import AGENTS, HISTORY
    from runaway.guard.spending import STEP, WINDOW
    from runaway.guard.transcripts.accounts import MARK, RECENT, SEEN
    from runaway.guard.transcripts.session_files import KEPT

    mark = "0123456789ab"
    record = [mark, 1796048451.1, mark, "!" + mark, 3, 50]
    agent = {
        "calls": [record] * HISTORY,
        "count": 10_000,
        "failing": [12, "msg_" + "x" * 40, mark, 12],
        "seen": 1796048451.123456,
        "unseen": {f"{mark}{number:02}": mark for number in range(ANNOUNCED)},
    }
    names = [f"a{number:016}" for number in range(AGENTS)]
    account = {
        "recent": [[mark, 0.123456789]] * RECENT,
        "seen": "x" * MARK * SEEN,
        **dict.fromkeys(("sum", "inherited", "floor", "since", "after"), 1796048451.123456),
    }
    cursor = [1 << 30, 1 << 40, mark, 1796048451, {"round": "x" * 40, "time": 1796048451.123}]
    memory = {
        "agents": dict.fromkeys(names, agent),
        "logs": {"account": account, "files": dict.fromkeys(names[:KEPT], cursor)},
        "spend": {"recent": [[1796048450.0, 12.345678]] * int(WINDOW / STEP + 2)},
        "tripped": {f"loop.same_result:{number:012}": 5 for number in range(100)},
        "asked": {f"{number:012}": "loop:" + mark for number in range(200)},
        "storm": {"times": [1796048451.123456] * 300},
    }
    assert len(dumps(memory)) < SLOT - HEADER


@pytest.mark.parametrize("each", [10, pytest.param(50, marks=pytest.mark.long)])
def test_parallel_calls_lose_no_update(guard: Guard, each: int) -> None:
    def ask(worker: int) -> None:
        for number in range(each):
            command = {"command": f"{worker} {number}"}
            call = payload(number=worker * each + number, tool_input=command)
            answer = guard.ask(call)
            assert (answer.exit_code, answer.stderr) == (0, b"")

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(ask, range(8)))
    assert guard.health() == []
    assert guard.calls() == 8 * each


@pytest.mark.parametrize("cut", [0, 1, 20, HEADER, HEADER + 1, -1])
def test_a_kill_in_the_middle_of_a_write_loses_that_update_and_nothing_else(
    guard: Guard, cut: int
) -> None:
    guard = guard._replace(program="run.py")
    for number in range(3):
        guard.ask(payload(number=number))
    python, *_, program, harness = guard.command()
    killed = run([python, "-I", "-S", "-c", TORN, str(cut), program, harness], payload(number=3))
    assert killed.exit_code == -signal.SIGKILL
    assert guard.calls() == 3
    for number in range(4, 9):
        answer = guard.ask(payload(number=number))
        assert answer.exit_code == 0
    assert answer.decision == "deny"
    assert guard.calls() == 8
    assert guard.health() == []


def test_kills_at_any_moment_neither_wedge_nor_reset(guard: Guard) -> None:
    chance = random.Random(1)
    guard.ask(payload())
    counted = guard.calls()
    for number in range(1, 40):
        child = subprocess.Popen(
            guard.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={"PATH": os.defpath},
        )
        assert child.stdin
        child.stdin.write(json.dumps(payload(number=number)).encode())
        child.stdin.close()
        time.sleep(chance.random() * 0.04)
        child.kill()
        child.wait()
        assert guard.calls() in (counted, counted + 1)
        counted = guard.calls()
    assert guard.ask(payload(number=1000)).exit_code == 0
    assert guard.calls() == counted + 1


@pytest.mark.skipif(sys.platform != "linux", reason="holes are seen by st_blocks")
def test_a_session_takes_as_much_room_as_its_state_needs(state: str) -> None:
    file = save(state, text="x")
    save(state, text="y")
    assert file.stat().st_size > SLOT
    assert file.stat().st_blocks * 512 < SLOT / 4
