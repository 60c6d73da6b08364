from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from runaway.installer import policy_file, self_test, sessions
from runaway.installer.harnesses import claude
from runaway.installer.harnesses.base import Check, Harness
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from tests.support import clock
from tests.support.files import names
from tests.support.installer import call, payload, registered, wire

HARNESS = HARNESSES["claude"]
UUID = "[0-9a-f]{{8}}-[0-9a-f]{{4}}-{}[0-9a-f]{{3}}-[89ab][0-9a-f]{{3}}-[0-9a-f]{{12}}"


def fired(machine: Machine) -> dict[str, Check]:
    return {check.check: check for check in self_test.checks(machine, HARNESS)}


def set_policy(machine: Machine, config: bytes) -> None:
    policy_file.install(machine, policy_file.compiled(machine, config))


def test_a_guard_in_place_denies_the_last_of_the_equal_calls(wired: Machine) -> None:
    check = fired(wired)["fires.command"]
    assert (check.level, check.harness) == ("ok", "claude")
    assert "8 times" in check.message


def test_the_users_own_limit_is_the_one_that_is_tried(wired: Machine) -> None:
    set_policy(wired, b'[limits]\n"loop.same_call" = [0, 0, 3, 0]\n')
    check = fired(wired)["fires.command"]
    assert check.level == "ok"
    assert "3 times" in check.message


def test_a_fraction_as_limit_is_reached_by_the_next_whole_call(wired: Machine) -> None:
    set_policy(wired, b'[limits]\n"loop.same_call" = [0, 2.5, 9, 0]\n')
    assert fired(wired)["fires.command"].level == "ok"


def test_trying_leaves_nothing_behind_that_is_shown(wired: Machine) -> None:
    fired(wired)
    assert names(wired.state / "sessions") == []
    assert (wired.state / "trips.jsonl").read_bytes()
    assert (sessions.trips(wired).rows, sessions.sessions(wired).rows) == ((), ())


FORMS = {
    "antigravity": "[0-9a-f]{32}",
    "codex": UUID.format(7),
    "grok": UUID.format(7),
    "pi": UUID.format(7),
    "opencode": r"ses_[0-9a-f]{12}[0-9A-Za-z]{14}",
}


@pytest.mark.parametrize("harness", HARNESSES.values(), ids=HARNESSES)
def test_a_session_of_the_doctors_is_named_as_the_harness_names_its_own(harness: Harness) -> None:
    first, second = harness.session_id(), harness.session_id()
    assert first != second
    assert re.fullmatch(FORMS.get(harness.NAME, UUID.format(4)), first)
    payload = json.loads(harness.sample_payload(first, 1))
    inside = [value for value in payload.values() if first in str(value) and value != first]
    assert inside == [], "an id made of the session's would tell it"


def test_no_guard_can_read_of_the_doctors_session_while_it_is_asked(
    wired: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a guard compiled by somebody else could look at, before it answers."""
    asked: list[str] = []

    def answer(_: str, data: bytes, _environment: object) -> tuple[int, bytes]:
        session = json.loads(data)["session_id"]
        asked.append(session)
        known = [path for path in wired.home.rglob("*") if path.is_file()]
        assert not any(session.encode() in path.read_bytes() for path in known)
        return 0, b""

    monkeypatch.setattr(self_test, "answer", answer)
    fired(wired)
    assert len(asked) == 8
    assert len(set(asked)) == 1


def test_a_run_that_is_interrupted_leaves_nothing_behind_that_is_shown(
    wired: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = self_test.answer

    def answer(command: str, data: bytes, environment: dict[str, str]) -> tuple[int, bytes]:
        answered = true(command, data, environment)
        if answered[1]:
            raise KeyboardInterrupt
        return answered

    monkeypatch.setattr(self_test, "answer", answer)
    with pytest.raises(KeyboardInterrupt):
        fired(wired)
    assert (wired.state / "trips.jsonl").read_bytes()
    assert (sessions.trips(wired).rows, sessions.sessions(wired).rows) == ((), ())


def test_without_a_launcher_there_is_nothing_to_run(machine: Machine) -> None:
    assert {name: check.level for name, check in fired(machine).items()} == {
        "fires.command": "skipped"
    }


@pytest.mark.parametrize(
    "config",
    [
        b'mode = "observe"\n',
        b'[limits]\n"loop.same_call" = [0, 0, 0, 0]\n',
        b'[limits]\n"loop.same_call" = [0, 8, 0, 0]\n',  # asks, but an unattended run goes on
        b'[limits]\n"loop.same_call" = [0, 900, 900, 900]\n',
    ],
    ids=["observing", "no limit", "only asking", "far away"],
)
def test_a_guard_that_blocks_nothing_is_a_warning(wired: Machine, config: bytes) -> None:
    set_policy(wired, config)
    assert fired(wired)["fires.command"].level == "warning"


def lose_the_code(machine: Machine) -> None:
    for folder in (machine.data / "guard").iterdir():
        folder.rename(machine.home / folder.name)


def say_nothing(machine: Machine) -> None:
    machine.launcher.write_text("exit 0\n")


def deny_everything(machine: Machine) -> None:
    answer = {"hookSpecificOutput": {"permissionDecision": "deny"}}
    machine.launcher.write_text(f"echo '{json.dumps(answer)}'\nexit 0\n")


def print_garbage(machine: Machine) -> None:
    machine.launcher.write_text("printf '\\377{nonsense'\nexit 0\n")


def fail(machine: Machine) -> None:
    machine.launcher.write_text("exit 2\n")


@pytest.mark.parametrize(
    "breakage",
    [lose_the_code, say_nothing, deny_everything, print_garbage, fail],
    ids=lambda breakage: breakage.__name__,
)
def test_a_command_that_answers_wrongly_is_an_error(wired: Machine, breakage: object) -> None:
    assert callable(breakage)
    breakage(wired)
    check = fired(wired)["fires.command"]
    assert check.level == "error"
    assert check.fix


@pytest.mark.parametrize(
    "policy",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"limits": 5}',
        b'{"limits": {"loop.same_call": 5}}',
        b'{"limits": {"loop.same_call": "abcd"}}',
        b'{"paused_until": "x"}',
        b"\xff",
    ],
)
def test_a_damaged_policy_is_an_error_and_no_crash(wired: Machine, policy: bytes) -> None:
    (wired.data / "policy.json").write_bytes(policy)
    assert fired(wired)["fires.command"].level == "error"


def test_the_command_sees_a_bare_environment(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET", "x")
    wire(machine)
    machine.launcher.write_text(f"env >'{tmp_path / 'seen'}'\nexit 0\n")
    self_test.answer(registered(machine), b"")
    seen = {line.split("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert seen - clock.SHARED.keys() <= {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}


def test_a_command_that_hangs_is_given_up(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_test, "SECONDS", 0.05)
    assert self_test.answer("exec sleep 60", b"") == (-1, b"")


def test_when_it_last_ran_is_told_by_its_newest_session(wired: Machine) -> None:
    assert fired(wired)["fires.seen"].level == "info"
    call(registered(wired), payload("real"))
    [session] = (wired.state / "sessions").iterdir()
    then = time.time() - 2 * 3600
    os.utime(session, (then, then))
    check = fired(wired)["fires.seen"]
    assert (check.level, check.message) == ("ok", "It last ran inside Claude Code 2 hours ago.")


@pytest.mark.parametrize(
    ("answer", "denied"),
    [
        (b"", False),
        (b"{}", False),
        (b"[]", False),
        (b"null", False),
        (b"not json", False),
        (b'{"hookSpecificOutput": 5}', False),
        (b'{"hookSpecificOutput": {"permissionDecision": "ask"}}', False),
        (b'{"hookSpecificOutput": {"permissionDecision": "deny"}}', True),
        (b'{"hookSpecificOutput": {"permissionDecision": "deny"}, "continue": false}', True),
    ],
)
def test_only_a_denial_counts_as_one(answer: bytes, denied: bool) -> None:
    assert claude.is_denial(answer) is denied
