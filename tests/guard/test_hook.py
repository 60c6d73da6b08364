"""Whatever a harness sends, the guard answers at most once, exits 0 and says nothing on stderr."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.policy import Policy
from runaway.guard.session import STALLED, Session
from tests.support.processes import PROGRAMS, Guard, payload

DENIED_AT = 8  # by loop.same_call, where nobody attends

not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def with_input(arguments: bytes) -> bytes:
    return json.dumps(payload(tool_input="@")).encode().replace(b'"@"', arguments)


# Nothing can be made of these: work goes on, and a line in the health log says why.
UNUSABLE: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\n",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "not JSON": b"hello",
    "half a payload": json.dumps(payload()).encode()[:60],
    "two payloads": json.dumps(payload()).encode() * 2,
    "bytes": bytes(range(256)),
    "null": b"null",
    "a number": b"42",
    "a string": b'"session_id"',
    "a list": b"[]",
    "an empty object": b"{}",
    "deeply nested": nested(100_000),
    "nested in an object": b'{"session_id":' * 50_000,
    "no session": json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash"}).encode(),
    "more than is read": b" " * ((1 << 26) + (1 << 18)) + json.dumps(payload()).encode(),
}
# These are odd, but calls can be counted by them.
ODD: dict[str, bytes] = {
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(payload()).encode(),
    "CRLF and blanks around": b"\r\n\t " + json.dumps(payload()).encode() + b"\r\n",
    "wrong types": json.dumps(
        {key: [None, {}, 1.5] for key in payload()} | {"session_id": "s"}
    ).encode(),
    "numbers": json.dumps(dict.fromkeys(payload(), 7) | {"session_id": "s"}).encode(),
    "nulls": json.dumps(dict.fromkeys(payload()) | {"session_id": "s"}).encode(),
    "only a session": b'{"session_id":"s"}',
    "unknown keys": json.dumps(
        payload(surprise={"a": [1]}, tool_input={"x": {"y": None}})
    ).encode(),
    "an unknown event": json.dumps(payload(hook_event_name="Surprise")).encode(),
    "an unknown tool": json.dumps(payload(tool_name="mcp__a__b\x00\u2028")).encode(),
    "lone surrogates": with_input(rb'{"command":"echo \ud83d \udcff"}'),
    "invalid UTF-8": with_input(b'{"command":"echo \xff\xfe"}'),
    "control characters": with_input(b'{"command":"echo \x00\x1b\n"}'),
    "NaN and Infinity": with_input(b'{"a":NaN,"b":-Infinity,"c":1e999,"d":' + b"9" * 4000 + b"}"),
    "as deep as can be": with_input(nested(900)),
    "5 MB of arguments": with_input(json.dumps({"command": "x" * 5_000_000}).encode()),
    "a log that is a folder": json.dumps(payload(transcript_path="/")).encode(),
    "a log that is a device": json.dumps(payload(transcript_path="/dev/zero")).encode(),
    "a log with a NUL in its name": json.dumps(payload(transcript_path="/a\x00b")).encode(),
    "a log with a surrogate in its name": json.dumps(payload(transcript_path="/\ud83d")).encode(),
}


@pytest.mark.parametrize("data", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_unusable_payload_lets_the_call_pass_and_leaves_a_line(
    guard: Guard, data: bytes
) -> None:
    assert guard.ask(data) == (0, b"", b"")
    [line] = guard.health()
    assert line.split()[1] == "claude"
    assert len(line) < 500


@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_an_odd_payload_is_counted_like_any_other(guard: Guard, data: bytes) -> None:
    assert guard.ask(data) == (0, b"", b"")
    assert guard.health() == []
    assert guard.calls("s" if b'"s"' in data else "7") == 1


def test_an_odd_call_that_is_repeated_is_denied_in_words(guard: Guard) -> None:
    for name in ("lone surrogates", "as deep as can be", "invalid UTF-8"):
        for number in range(DENIED_AT):
            data = ODD[name].replace(b"toolu_0", f"{name} {number}".encode())
            answer = guard.ask(data.replace(b'"s"', json.dumps(name).encode()))
        assert answer.decision == "deny", name
        assert answer.stderr == b""
        answer.stdout.decode("ascii")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("harness", ["", "nonsense", "claude/../claude", "os"])
def test_an_unknown_harness_is_told_nothing(guard: Guard, program: str, harness: str) -> None:
    guard = guard._replace(program=program)
    assert guard.ask(payload(), harness=harness) == (0, b"", b"")
    assert len(guard.health()) == 1


def test_no_harness_no_input_and_no_output_are_no_failure(guard: Guard) -> None:
    command = guard.command()[:-1]
    for streams in ("", "<&-", ">&-", "<&- >&- 2>&-"):
        shell = f'"$@" {streams}'
        done = subprocess.run(["/bin/sh", "-c", shell, "sh", *command], input=b"", check=False)
        assert done.returncode == 0


def test_an_answer_nobody_reads_is_no_failure(guard: Guard) -> None:
    guard.policy(limits={"loop.same_call": [None, None, 1, None]})
    reading, writing = os.pipe()
    os.close(reading)
    data = json.dumps(payload()).encode()
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            guard.command(), input=data, stdout=closed, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_launcher_starts_the_guard_only_once(guard: Guard) -> None:
    answers = [guard.ask_registered(payload(number=number)) for number in range(DENIED_AT)]
    assert [answer.decision for answer in answers] == [""] * (DENIED_AT - 1) + ["deny"]
    assert guard.calls() == DENIED_AT
    assert all(answer.exit_code == 0 and answer.stderr == b"" for answer in answers)


def test_an_answer_is_one_json_object_of_the_documented_keys(guard: Guard) -> None:
    answers = [guard.ask(payload(number=number)) for number in range(21)]
    assert [answer.decision for answer in answers[-2:]] == ["stop", "stop"]
    last = json.loads(answers[-1].stdout)
    assert last["continue"] is False
    assert last["stopReason"] == last["hookSpecificOutput"]["permissionDecisionReason"]
    assert last["hookSpecificOutput"]["hookEventName"] == "PreToolUse"


def test_the_environment_of_the_agent_leads_nowhere(guard: Guard, tmp_path: Path) -> None:
    for name in ("json.py", "time.py", "guard.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('led astray')\n")
    lead = {
        "PYTHONPATH": str(tmp_path),
        "PYTHONHOME": str(tmp_path),
        "PYTHONSTARTUP": str(tmp_path / "json.py"),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONVERBOSE": "1",
    }
    for program in PROGRAMS:
        asked = guard._replace(program=program).ask(payload(number=1), environment=lead)
        assert asked == (0, b"", b"")
    assert guard.calls() == 1
    assert not list(tmp_path.glob("*/*"))


# What stands in the way of the state; all of it ends in silence, with a line where one can be written.


def missing(guard: Guard, _: Path) -> None:
    shutil.rmtree(guard.state, ignore_errors=True)


def a_file_in_its_place(guard: Guard, _: Path) -> None:
    guard.state.parent.mkdir(parents=True, exist_ok=True)
    guard.state.write_text("not a folder")


def a_folder_for_the_session(guard: Guard, _: Path) -> None:
    guard.session_file().mkdir(parents=True)


def a_pipe_for_the_session(guard: Guard, _: Path) -> None:
    guard.session_file().parent.mkdir(parents=True)
    os.mkfifo(guard.session_file())


def a_link_for_the_session(guard: Guard, victim: Path) -> None:
    guard.session_file().parent.mkdir(parents=True)
    guard.session_file().symlink_to(victim)


def a_dangling_link_for_the_session(guard: Guard, victim: Path) -> None:
    guard.session_file().parent.mkdir(parents=True)
    guard.session_file().symlink_to(victim.with_name("never made"))


IN_THE_WAY = [
    a_file_in_its_place,
    a_folder_for_the_session,
    a_pipe_for_the_session,
    a_link_for_the_session,
    a_dangling_link_for_the_session,
]


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "somebody else's"
    file.write_text("untouched")
    return file


@pytest.mark.parametrize("hinder", IN_THE_WAY)
def test_what_stands_in_the_way_of_the_state_is_neither_followed_nor_fatal(
    guard: Guard, victim: Path, hinder: Callable[[Guard, Path], None]
) -> None:
    shutil.rmtree(guard.state, ignore_errors=True)
    hinder(guard, victim)
    assert guard.ask(payload()) == (0, b"", b"")
    assert victim.read_text() == "untouched"
    assert not victim.with_name("never made").exists()
    assert len(guard.health()) == 1
    if guard.state.is_file():
        guard.state.unlink()


def test_a_missing_state_folder_is_made_for_its_owner_alone(guard: Guard) -> None:
    missing(guard, Path())
    assert guard.ask(payload()) == (0, b"", b"")
    assert stat.S_IMODE(guard.session_file().parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(guard.session_file().stat().st_mode) == 0o600


@not_as_root
def test_a_read_only_state_folder_lets_calls_pass(guard: Guard) -> None:
    guard.state.mkdir(parents=True)
    guard.state.chmod(0o500)
    try:
        assert guard.ask(payload()) == (0, b"", b"")
    finally:
        guard.state.chmod(0o700)


LOGS = ("trips.jsonl", "health.log")


def link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, _: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("place", [link, pipe, folder])
@pytest.mark.parametrize("log", LOGS)
def test_a_log_that_cannot_be_written_does_not_hold_the_denial_back(
    guard: Guard, victim: Path, log: str, place: Callable[[Path, Path], None]
) -> None:
    guard.policy(limits={"loop.same_call": [None, None, 1, None]})
    guard.state.mkdir(parents=True)
    place(guard.state / log, victim)
    assert guard.ask(payload()).decision == "deny"
    assert guard.ask(b"") == (0, b"", b"")
    assert victim.read_text() == "untouched"


def test_a_log_that_does_not_exist_leaves_the_last_one_in_charge(
    guard: Guard, tmp_path: Path
) -> None:
    """A public case: thedotmack/claude-mem#2434."""
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("")
    guard.ask(payload(transcript_path=str(transcript)))
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    message = {"id": "msg_1", "model": "claude-opus-5-5", "usage": usage, "content": []}
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    record = {"type": "assistant", "timestamp": stamp, "message": message}
    transcript.write_text(json.dumps(record) + "\n")
    for number in range(2, 5):
        guard.ask(payload(number=number, transcript_path=str(tmp_path / "worktree/t.jsonl")))
    assert guard.memory()["spend"]["total"] == 4.0
    assert [line.split(" ", 4)[3:] for line in guard.health()] == [
        [f"{tmp_path}/worktree/t.jsonl", f"does not exist; reading {transcript}"]
    ]


@pytest.mark.usefixtures("one_day")
def test_a_full_ledger_or_a_link_in_its_place_hides_no_money(
    guard: Guard, victim: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    message = {"id": "msg_1", "model": "claude-opus-5-5", "usage": usage, "content": []}
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    record = {"type": "assistant", "timestamp": stamp, "message": message}
    transcript.write_text(json.dumps(record) + "\n")
    guard.policy(session_cap=1)
    ledger = guard.state / "ledger"
    ledger.mkdir(parents=True)
    (ledger / time.strftime("%Y-%m-%d.jsonl")).symlink_to(victim)
    assert guard.ask(payload(transcript_path=str(transcript))).decision == "stop"
    assert guard.memory()["spend"]["total"] == 4.0
    assert victim.read_text() == "untouched"
    assert len(guard.health()) == 1


@pytest.mark.usefixtures("one_day")
def test_the_first_session_past_a_limit_of_the_day_is_told_and_no_other(
    guard: Guard, tmp_path: Path
) -> None:
    guard.policy(limits={"spend.day": [3, None, None, None]})
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    told = []
    for session in ("one", "two"):
        message: dict[str, Any] = {"id": session, "model": "claude-opus-5-5", "usage": usage}
        message["content"] = []
        transcript = tmp_path / f"{session}.jsonl"
        record = {"type": "assistant", "timestamp": stamp, "message": message}
        transcript.write_text(json.dumps(record) + "\n")
        asked = payload(session_id=session, transcript_path=str(transcript))
        told.append(b"spend.day" in guard.ask(asked).stdout)
    assert told == [True, False]


def test_a_lock_that_is_held_does_not_hold_the_call_up(guard: Guard) -> None:
    for number in range(DENIED_AT - 1):
        guard.ask(payload(number=number))
    with guard.session_file().open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        started = time.monotonic()
        assert guard.ask(payload(number=100)).decision == "deny", "judged by what was saved"
        assert time.monotonic() - started >= STALLED, "it was waited for"
    assert guard.calls() == DENIED_AT - 1
    assert "TimeoutError" in guard.health()[0]
    assert guard.ask(payload(number=101)).decision == "deny"
    assert guard.calls() == DENIED_AT


def test_a_state_that_has_grown_too_large_to_be_saved_is_answered_all_the_same(
    guard: Guard,
) -> None:
    guard.policy(limits={"loop.same_call": [None, None, 1, None]})
    guard.ask(payload())
    session = Session(str(guard.state), "claude", "s")
    session.state["asked"] = {str(number): "x" * 10 for number in range(4_000)}
    session.save()
    session.close()
    guard.ask(payload(number=1))
    session = Session(str(guard.state), "claude", "s")
    session.state["asked"] = {str(number): "x" * 20 for number in range(4_500)}
    with pytest.raises(ValueError, match="grew to"):
        session.save()
    session.close()
    assert guard.ask(payload(number=2)).decision == "deny"


def test_observing_and_pausing_judge_and_log_but_say_nothing(guard: Guard) -> None:
    for values in ({"observe": True}, {"paused_until": time.time() + 60}):
        guard.policy(limits={"loop.same_call": [None, None, 2, None]}, **values)
        session = next(iter(values))
        for number in range(3):
            assert guard.ask(payload(session, number)) == (0, b"", b"")
    trips = [json.loads(line) for line in (guard.state / "trips.jsonl").read_bytes().splitlines()]
    assert [(trip["session"], trip["level"], trip["answered"]) for trip in trips] == [
        ("observe", "deny", False),
        ("observe", "deny", False),
        ("paused_until", "deny", False),
        ("paused_until", "deny", False),
    ]


def test_a_trip_is_logged_once_with_all_that_status_tells(guard: Guard) -> None:
    guard.policy(limits={"loop.same_call": [None, None, 1, None]})
    started = time.time()
    for _ in range(3):
        assert guard.ask(payload(number=5)).decision == "deny"
    [line] = (guard.state / "trips.jsonl").read_bytes().splitlines()
    trip: dict[str, Any] = json.loads(line)
    assert started - 1 <= trip.pop("time") <= time.time() + 1  # it is rounded
    assert trip.pop("text").startswith("[runaway] the same Bash call was made 1 times in a row")
    assert trip == {
        "harness": "claude",
        "session": "s",
        "agent": "",
        "cwd": "/home/u/project",
        "tool": "Bash",
        "rule": "loop.same_call",
        "count": 1,
        "level": "deny",
        "answered": True,
    }


def test_a_trip_by_a_limit_of_the_project_names_its_file(guard: Guard, tmp_path: Path) -> None:
    file = tmp_path / ".runaway.json"
    file.write_text('{"limits": {"loop.same_call": [0, 0, 1, 0]}, "session_cap": 1000000}')
    answer = guard.ask(payload(cwd=str(tmp_path)))
    assert answer.decision == "deny"
    [line] = (guard.state / "trips.jsonl").read_bytes().splitlines()
    trip = json.loads(line)
    assert trip["source"] == str(file)
    assert f"(loop.same_call, limit from {file})" in trip["text"]


def test_a_policy_of_its_own_is_what_a_call_is_judged_by(guard: Guard) -> None:
    guard.policy(limits={"loop.same_call": [None, None, 2, 3]})
    seen = [guard.ask(payload(number=number)).decision for number in range(3)]
    assert seen == ["", "deny", "stop"]
    assert Policy({}, "").limits["loop.same_call"] == (None, 8, 12, 20)
