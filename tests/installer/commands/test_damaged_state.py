"""Whatever lies in the state folder: every command ends with exit code 0 or 1, and says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.session import HEADER, SLOT, Session, file_name
from runaway.installer import sessions
from runaway.installer.cli import app
from runaway.installer.machine import Machine, this_machine
from runaway.installer.terminal.error_handler import guarded
from tests.installer.console import SCRIPT, environment
from tests.support.installer import bare_machine

NOW = 1_700_000_000.0
TRIP: dict[str, Any] = {
    "time": NOW,
    "harness": "claude",
    "session": "abc",
    "agent": "",
    "cwd": "/app",
    "tool": "Bash",
    "rule": "loop.same_call",
    "count": 8,
    "level": "deny",
    "answered": True,
    "text": "It was held back.",
}
STEP = {"dollars": 0.5, "harness": "claude", "project": "/app", "session": "abc"}
STATE: dict[str, Any] = {
    "harness": "claude",
    "session": "abc",
    "cwd": "/app",
    "started": NOW,
    "seen": NOW,
    "spend": {"total": 0.5, "prompt": 0.5, "recent": [[NOW, 0.5]], "day": [0.5, 0.5]},
    "agents": {"": {"calls": [], "count": 8, "seen": NOW}},
}
COMMANDS = (
    ("status",),
    ("why", "abc"),
    ("report", "--html", "page.html"),
    ("resume", "--add", "1"),
    ("pause", "1h"),
    ("config", "show"),
    ("prices", "check"),
    ("backups", "list"),
    ("backups", "prune"),
    ("statusline",),
)
IN_WORDS = COMMANDS[:4]
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A home whose guard has seen one session, stopped it once, and booked half a dollar."""
    home = bare_machine(tmp_path / "home").home
    for name in [name for name in os.environ if name.startswith(("XDG_", "CLAUDE", "CODEX"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home))
    monkeypatch.chdir(home)
    machine = this_machine()
    machine.state.mkdir(mode=0o700, parents=True)
    for name in ("ledger", "receipts", "backups"):
        (machine.state / name).mkdir(mode=0o700)
    keep(machine, STATE)
    append(machine, "trips.jsonl", json.dumps(TRIP))
    append(machine, "ledger/2023-11-14.jsonl", json.dumps(STEP))
    append(machine, "health.log", f"{NOW:.0f} claude hook.py:1 ValueError: x")
    return machine


def keep(machine: Machine, state: Any) -> None:
    session = Session(str(machine.state), "claude", "abc")
    session.state = state
    session.save()
    session.close()


def append(machine: Machine, name: str, line: str) -> None:
    with (machine.state / name).open("a", encoding="utf-8", errors="surrogatepass") as file:
        file.write(line + "\n")


def session_file(machine: Machine) -> Path:
    return machine.state / "sessions" / file_name("claude", "abc")


class Ended:
    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.out, self.err = code, out, err


Run = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The command line in this process."""

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["runaway", *arguments])
        try:
            code = guarded(app)
        except SystemExit as left:  # typer, for a reader that has left
            code = int(str(left.code))
        return Ended(code, *capfdbinary.readouterr())

    return run


def strict(text: bytes) -> dict[str, Any]:
    """What any reader of JSON accepts: Python's own takes NaN too."""

    def refuse(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    told = json.loads(text, parse_constant=refuse)
    assert isinstance(told, dict)
    return told


# -- wrong records: each is passed over and counted, the sound ones beside it are shown

WRONG_VALUES: dict[str, Any] = {
    "null": None,
    "a list": [],
    "an object": {},
    "true": True,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "below zero": -1,
    "a huge number": 10**400,
    "text": "x",
}
NUMBERS = ("time", "count")
TEXTS = ("harness", "session", "agent", "cwd", "tool", "rule", "level", "text")
WRONG_LINES = {
    "no JSON": "{",
    "torn": json.dumps(TRIP)[:40],
    "null": "null",
    "a list": "[1, 2]",
    "a number": "5",
    "text": '"x"',
    "an empty object": "{}",
    "nested too deep": DEEP,
    "deep inside": '{"time": ' + DEEP + "}",
    "a number of 5,000 digits": '{"time": ' + "9" * 5000 + "}",
    "NUL": "\0",
    "no UTF-8": "\udcff",
}
WRONG_TRIPS = {
    **WRONG_LINES,
    **{f"{key}: missing": json.dumps({**TRIP, key: None}) for key in TRIP},
    **{
        f"{key}: {name}": json.dumps({**TRIP, key: value})
        for key in NUMBERS
        for name, value in WRONG_VALUES.items()
    },
    **{f"{key}: a number": json.dumps({**TRIP, key: 5}) for key in TEXTS},
    "answered: text": json.dumps({**TRIP, "answered": "no"}),
    "level: unknown": json.dumps({**TRIP, "level": "sing"}),
    "time: a date after the last": json.dumps({**TRIP, "time": 1e18}),
}
WRONG_STEPS = {
    **WRONG_LINES,
    **{
        f"dollars: {name}": json.dumps({**STEP, "dollars": value})
        for name, value in WRONG_VALUES.items()
    },
    "dollars: more than money": json.dumps({**STEP, "dollars": 1e300}),
    **{f"{key}: a number": json.dumps({**STEP, key: 5}) for key in ("project", "harness")},
}


@pytest.mark.parametrize("line", WRONG_TRIPS.values(), ids=WRONG_TRIPS.keys())
def test_a_wrong_trip_is_passed_over_and_counted(machine: Machine, line: str) -> None:
    append(machine, "trips.jsonl", line)
    trips, [problem] = sessions.trips(machine)
    assert [trip.session for trip in trips] == ["abc"]
    assert problem.text == "1 line of trips.jsonl could not be read."


@pytest.mark.parametrize("line", WRONG_STEPS.values(), ids=WRONG_STEPS.keys())
def test_a_wrong_step_of_the_ledger_is_passed_over_and_counted(machine: Machine, line: str) -> None:
    append(machine, "ledger/2023-11-14.jsonl", line)
    append(machine, "ledger/2023-11-14.jsonl", line)
    days, [problem] = sessions.days(machine)
    assert [step["dollars"] for step in days["2023-11-14"]] == [0.5]
    assert problem.text == "2 lines of 2023-11-14.jsonl could not be read."


# Whoever writes that into a state lifts the session for good: so it is shown.
FOR_EVER = (("lifted_until", "infinity"), ("lifted_until", "a huge number"))
WRONG_STATES: dict[str, Any] = {
    "another object": {"x": 1},
    **{
        f"{key}: {name}": {**STATE, key: value}
        for key in ("started", "seen", "lifted_until")
        for name, value in WRONG_VALUES.items()
        if (key, name) not in FOR_EVER
    },
    **{
        f"{key}: {name}": {**STATE, key: value}
        for key in ("harness", "session", "cwd", "transcript", "agents", "spend")
        for name, value in {"a number": 5, "a list": [5], "null": None}.items()
    },
    "an agent is a list": {**STATE, "agents": {"": []}},
    "an agent counts in words": {**STATE, "agents": {"": {"count": "eight"}}},
    "the sum is text": {**STATE, "spend": {"total": "x"}},
    "the sum is NaN": {**STATE, "spend": {"total": float("nan")}},
}


@pytest.mark.parametrize("state", WRONG_STATES.values(), ids=WRONG_STATES.keys())
def test_a_session_of_another_shape_is_passed_over_and_counted(
    machine: Machine, state: Any
) -> None:
    keep(machine, state)
    rows, [problem] = sessions.sessions(machine)
    assert rows == ()
    assert problem.text == "1 file of sessions could not be read."


@pytest.mark.parametrize("state", [None, [1], "x"])
def test_where_the_newest_slot_holds_no_object_the_one_before_it_counts(
    machine: Machine, state: Any
) -> None:
    keep(machine, state)
    [session], problems = sessions.sessions(machine)
    assert (session.session, problems) == ("abc", ())


def test_status_tells_what_was_passed_over_and_shows_the_rest(machine: Machine, run: Run) -> None:
    append(machine, "trips.jsonl", "{")
    append(machine, "trips.jsonl", "[]")
    ended = run("status", "--json")
    told = strict(ended.out)
    assert (ended.code, len(told["data"]["trips"]), len(told["data"]["sessions"])) == (0, 1, 1)
    assert [one["text"] for one in told["messages"]] == [
        "2 lines of trips.jsonl could not be read."
    ]
    ended = run("status")
    assert (ended.code, ended.err) == (0, b"2 lines of trips.jsonl could not be read.\n")


HELD: dict[str, dict[str, Any]] = {
    "extra": {"extra": "x"},
    "extra is NaN": {"extra": float("nan")},
    "granted": {"granted": 5},
    "a factor": {"granted": {"spend.prompt:": "x"}},
    "the factor is 0": {"granted": {"spend.prompt:": 0, "spend.velocity:": 0}},
    "recent": {"spend": {**STATE["spend"], "recent": 5}},
    "a step": {"spend": {**STATE["spend"], "recent": [[1]]}},
    "day": {"spend": {**STATE["spend"], "day": 5}},
    "half a day": {"spend": {**STATE["spend"], "day": [1]}},
    "much money": {"spend": {**STATE["spend"], "prompt": 1e9}},
}


@pytest.mark.parametrize("changes", HELD.values(), ids=HELD.keys())
def test_resume_goes_on_where_a_part_that_it_reckons_with_is_wrong(
    machine: Machine, run: Run, changes: dict[str, Any]
) -> None:
    keep(machine, {**STATE, **changes})
    ended = run("resume", "--session", "abc", "--add", "2", "--json")
    assert (ended.code, strict(ended.out)["status"]) == (0, "ok")
    assert run("status", "--json").code == 0


# -- broken files and folders: every command, in words and as JSON


def link(path: Path) -> None:
    away = path.with_name(path.name + ".away")
    path.rename(away)
    path.symlink_to(away)


def loop(path: Path) -> None:
    clear(path)
    path.symlink_to(path)


def file(path: Path) -> None:
    clear(path)
    path.write_bytes(b"in the way\n")


def folder(path: Path) -> None:
    clear(path)
    path.mkdir()


def pipe(path: Path) -> None:
    clear(path)
    os.mkfifo(path)


def zeros(path: Path) -> None:
    clear(path)
    path.write_bytes(bytes(2 * SLOT))


def clear(path: Path) -> None:
    if path.is_dir():
        path.rename(path.with_name(path.name + ".away"))
    else:
        path.unlink()


FOLDERS = ("", "sessions", "ledger", "receipts", "backups")
FILES = ("trips.jsonl", "health.log", "ledger/2023-11-14.jsonl", "SESSION")
BREAKS: dict[str, tuple[str, Callable[[Path], None]]] = {
    **{
        f"{name or 'state'}: {how.__name__}": (name, how)
        for name in FOLDERS
        for how in (link, loop, file)
    },
    **{
        f"{name}: {how.__name__}": (name, how)
        for name in FILES
        for how in (link, loop, folder, pipe, zeros)
    },
}


@pytest.mark.parametrize(("name", "break_it"), BREAKS.values(), ids=BREAKS.keys())
def test_no_command_dies_of_a_broken_file_or_folder(
    machine: Machine, run: Run, name: str, break_it: Callable[[Path], None]
) -> None:
    break_it(session_file(machine) if name == "SESSION" else machine.state / name)
    ends_well(run)


TEXTS_OF_AGENTS = ("\ud83d", "\x1b[2J", "a\nb\u2028c", "\u202e", "\0")


@pytest.mark.parametrize("text", TEXTS_OF_AGENTS, ids=ascii)
def test_no_command_dies_of_any_text(machine: Machine, run: Run, text: str) -> None:
    """And none of it reaches a pipe or a page as it is."""
    keep(machine, {**STATE, "cwd": text, "transcript": text})
    append(machine, "trips.jsonl", json.dumps({**TRIP, "text": text, "rule": text, "cwd": text}))
    append(machine, "ledger/2023-11-14.jsonl", json.dumps({**STEP, "project": text}))
    shown = ends_well(run) + (machine.home / "page.html").read_bytes()
    raw = [letter for letter in text if not letter.isprintable() and letter != "\n"]
    assert not [letter for letter in raw if letter.encode("utf-8", "surrogatepass") in shown]
    assert b"a\nb" not in shown


def ends_well(run: Run) -> bytes:
    """What all commands have printed."""
    shown = b""
    for command in COMMANDS:
        told = run(*command, "--json")
        assert (told.code in (0, 1), told.err) == (True, b""), (command, told.out)
        assert strict(told.out)["exit_code"] == told.code
        assert told.code == 0 or strict(told.out)["messages"]
        shown += told.out
    for command in IN_WORDS:
        ended = run(*command)
        assert ended.code in (0, 1), (command, ended.err)
        assert ended.code == 0 or ended.err, command
        shown += ended.out + ended.err
    return shown


DAMAGED_POLICIES = {
    "a text as cap": {"session_cap": "x"},
    "a text as time": {"paused_until": "x"},
    "three steps": {"limits": {"loop.same_call": [1, 2, 3]}},
    "a step of text": {"limits": {"loop.same_call": [1, 2, 3, "x"]}},
    "prices of text": {"prices": "x"},
    "NaN": {"day_cap": float("nan")},
}


@pytest.mark.parametrize(
    "text",
    [*map(json.dumps, DAMAGED_POLICIES.values()), DEEP, "{"],
    ids=[*DAMAGED_POLICIES, "deep", "torn"],
)
def test_a_damaged_policy_is_a_refusal(machine: Machine, run: Run, text: str) -> None:
    machine.data.mkdir(parents=True)
    (machine.data / "policy.json").write_text(text)
    ended = run("status", "--json")
    assert (ended.code, strict(ended.out)["messages"][0]["code"]) == (1, "damaged-policy")
    ends_well(run)


def test_a_damaged_session_file_names_itself_where_no_session_is_found(
    machine: Machine, run: Run
) -> None:
    session_file(machine).write_bytes(b"x" * HEADER)
    ended = run("why")
    assert (ended.code, b"1 file of sessions could not be read." in ended.err) == (1, True)


# -- what only a process of its own can show

UNREADABLE = ("sessions", "ledger", "trips.jsonl", "health.log", "ledger/2023-11-14.jsonl", "")
NO_OVERRIDE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")  # not even root may


@pytest.mark.parametrize("name", UNREADABLE, ids=lambda name: name or "state")
def test_what_may_not_be_read_is_told(machine: Machine, name: str) -> None:
    path = machine.state / name
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        ended = {
            verb: in_process([*NO_OVERRIDE] * (os.geteuid() == 0), machine, verb)
            for verb in ("status", "report", "why")
        }
    finally:
        path.chmod(mode)
    for verb, done in ended.items():
        assert done.returncode in (0, 1), done.stderr
        assert b"Traceback" not in done.stderr, verb
        assert verb != "status" or b"permission is denied" in done.stderr


def in_process(
    prefix: list[str], machine: Machine, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*prefix, str(SCRIPT), *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        cwd=machine.home,
        env=environment(machine.home),
        check=False,
    )
