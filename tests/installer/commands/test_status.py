from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from runaway.installer import durations, self_test, sessions
from runaway.installer.commands import config, pause, resume, setup, status, why
from runaway.installer.errors import Refusal
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine, scratch_machine
from tests.support.clock import copy_as_of_now

GOLDEN = Path(__file__).parents[2] / "guard/transcripts/golden/claude/plain/session.jsonl"
NOW = 1_800_000_000.0
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A home in which one session has looped until it was denied."""
    machine = scratch_machine(tmp_path_factory.mktemp("home"))
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    transcript = machine.home / "session.jsonl"
    copy_as_of_now(GOLDEN, transcript)
    call(machine, "abcdef-1", 9, transcript)
    call(machine, "other-2", 1)
    return machine


def call(machine: Machine, session: str, times: int, transcript: Path | str = "") -> list[bytes]:
    command = command_for(machine.launcher, "claude")
    return [
        self_test.answer(command, payload(session, number, transcript))[1]
        for number in range(times)
    ]


def payload(session: str, number: int, transcript: Path | str) -> bytes:
    fields = {
        "session_id": session,
        "transcript_path": str(transcript),
        "cwd": "/p",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make KEY=sk-0123456789abcdefghij0123"},
        "tool_use_id": f"{session}-{number}-{NOW}",
    }
    return json.dumps(fields).encode()


def text(result: Any) -> str:
    return "\n".join(result.lines)


def test_status_names_sessions_trips_and_what_is_wired(machine: Machine) -> None:
    result = status.run(machine, NOW)
    rows = {row["session"]: row for row in result.data["sessions"]}
    assert set(rows) == {"abcdef-1", "other-2"}
    assert rows["abcdef-1"]["dollars"] > 0
    assert [trip["level"] for trip in result.data["trips"]] == ["deny", "deny"]
    wired = {row["harness"]: row["wired"] for row in result.data["harnesses"]}
    assert wired["claude"] is True
    assert "abcdef-1"[:8] in text(result)


def test_sessions_of_the_doctor_are_not_shown(machine: Machine) -> None:
    call(machine, f"{sessions.DOCTOR}-1", 9)
    result = status.run(machine, NOW)
    assert not [
        row for row in result.data["sessions"] if row["session"].startswith(sessions.DOCTOR)
    ]
    assert not [row for row in result.data["trips"] if row["session"].startswith(sessions.DOCTOR)]


def test_money_of_a_session_without_a_log_is_unknown_rather_than_nothing(machine: Machine) -> None:
    rows = {row["session"]: row["money_known"] for row in status.run(machine, NOW).data["sessions"]}
    assert rows == {"abcdef-1": True, "other-2": False}


def test_why_shows_the_rule_the_calls_and_the_arithmetic(machine: Machine) -> None:
    result = why.run(machine, "last", NOW)
    assert result.data["trip"]["rule"] == "loop.same_call"
    assert result.data["calls"]
    bill = sum(line["dollars"] for line in result.data["bill"])
    assert bill == pytest.approx(result.data["session"]["dollars"], abs=0.005)
    assert "steps: ask at 8, deny at 12, stop at 20" in text(result)
    assert "runaway resume --session abcdef-1" in text(result)


def test_neither_status_nor_why_shows_a_secret(machine: Machine) -> None:
    for result in (status.run(machine, NOW), why.run(machine, "last", NOW)):
        assert "sk-0123" not in text(result)
        assert "sk-0123" not in json.dumps(result.data)


@pytest.mark.parametrize(("wanted", "code"), [("nothing", "no-session"), ("other", "no-trip")])
def test_why_says_what_it_does_not_find(machine: Machine, wanted: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        why.run(machine, wanted, NOW)
    assert refused.value.code == code


def test_resume_lets_the_session_go_on(machine: Machine) -> None:
    assert call(machine, "resumed", 8)[-1]
    resume.run(machine, "resumed", 0, None)
    fields = json.loads(payload("resumed", 99, ""))
    answer = self_test.answer(command_for(machine.launcher, "claude"), json.dumps(fields).encode())
    assert answer == (0, b"")


MONEY = {
    "per prompt": '"spend.prompt" = [0, 0.001, 0.002, 0.003]',
    "per day and project": '"spend.day" = [0, 0.001, 0.002, 0.003]',
}


@pytest.mark.usefixtures("one_day")
@pytest.mark.parametrize("limit", MONEY.values(), ids=MONEY.keys())
def test_resume_raises_a_limit_of_dollars_that_was_reached(tmp_path: Path, limit: str) -> None:
    machine = spending(tmp_path, f"[limits]\n{limit}\n")
    assert deny(machine)
    assert resume.run(machine, "s", 0, None).messages == ()
    assert not deny(machine)


CAPS = {
    "of the session": ("session_cap = 0.01", "its cap is $0.01"),
    "of the day": ("day_cap = 0.01", "Today's $0.01 are spent"),
}


@pytest.mark.usefixtures("one_day")
@pytest.mark.parametrize(("cap", "said"), CAPS.values(), ids=CAPS.keys())
def test_resume_tells_of_a_cap_that_holds_and_added_dollars_lift_the_sessions(
    tmp_path: Path, cap: str, said: str
) -> None:
    machine = spending(tmp_path, f"[spend]\n{cap}\n")
    assert deny(machine)
    [message] = resume.run(machine, "s", 0, None).messages
    assert (message.code, said in message.text) == ("cap-holds", True)
    assert deny(machine)
    added = resume.run(machine, "s", 5, None)
    assert (added.messages == ()) is (not deny(machine)) is ("session" in cap)


def spending(home: Path, config: str) -> Machine:
    """A home with this policy, and a session that has cost $0.027."""
    machine = scratch_machine(home)
    machine.config.mkdir(parents=True)
    (machine.config / "config.toml").write_text(config)
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    copy_as_of_now(GOLDEN, home / "session.jsonl")
    return machine


def deny(machine: Machine) -> bool:
    """Is the next call of that session held back? No two are alike."""
    fields = json.loads(payload("s", 0, machine.home / "session.jsonl"))
    fields["tool_use_id"] = fields["tool_input"]["command"] = f"echo {next(NUMBERS)}"
    command = command_for(machine.launcher, "claude")
    return b"deny" in self_test.answer(command, json.dumps(fields).encode())[1]


def test_pause_blocks_nothing_until_it_ends(machine: Machine) -> None:
    import time

    now = time.time()
    pause.run(machine, now + 600, now)
    assert call(machine, "paused", 12) == [b""] * 12
    assert status.run(machine, now).data["mode"] == "paused"
    setup.run(machine, setup.Options(("claude",)))  # a pause outlives another setup
    assert status.run(machine, now).data["mode"] == "paused"
    pause.run(machine, 0, now)
    assert call(machine, "not paused", 8)[-1]


@pytest.mark.parametrize("duration", ["", "5", "m", "-1h", "31d", "1w", "1h 2m"])
def test_what_is_no_duration_is_refused(duration: str) -> None:
    with pytest.raises(Refusal):
        durations.seconds(duration)


def test_durations_are_read() -> None:
    assert [durations.seconds(text) for text in ("90s", "30m", "1.5h", "2d")] == [
        90,
        1800,
        5400,
        172800,
    ]


def test_a_setting_is_stored_compiled_and_kept_with_its_comments(machine: Machine) -> None:
    file = machine.config / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('# mine\nmode = "enforce"  # for now\n')
    config.put(machine, "limits.loop.same_call", "0, 3, 4, 5")
    assert file.read_text().startswith('# mine\nmode = "enforce"  # for now\n')
    assert config.get(machine, "limits.loop.same_call").lines == ("0, 3, 4, 5",)
    assert call(machine, "stricter", 3)[-1]


@pytest.mark.parametrize(
    ("key", "value"),
    [("mode", "maybe"), ("spend.day_cap", "-1"), ("limits.loop.same_call", "1, 2"), ("nope", "1")],
)
def test_a_value_that_makes_no_sense_changes_nothing(
    machine: Machine, key: str, value: str
) -> None:
    config.put(machine, "mode", "enforce")
    before = (machine.config / "config.toml").read_bytes()
    with pytest.raises(Refusal):
        config.put(machine, key, value)
    assert (machine.config / "config.toml").read_bytes() == before


@pytest.mark.parametrize("text", ["{broken", "[]", '{"limits": 5}'])
def test_a_damaged_policy_arms_nothing(tmp_path: Path, text: str) -> None:
    machine = scratch_machine(tmp_path)
    setup.run(machine, setup.Options(("claude",)))
    (machine.data / "policy.json").write_text(text)
    result = status.run(machine, NOW)
    assert (result.exit_code, result.messages[0].code) == (1, "damaged-policy")
    assert result.data["harnesses"][0]["armed"] is False
    assert result.lines[0].startswith("NOT armed. ")
    with pytest.raises(Refusal):
        why.run(machine, "last", NOW)


@pytest.mark.parametrize("text", ["{broken", "[]", "null", "[" * 100_000])
def test_a_damaged_policy_cannot_be_paused(tmp_path: Path, text: str) -> None:
    machine = scratch_machine(tmp_path)
    setup.run(machine, setup.Options(("claude",)))
    (machine.data / "policy.json").write_text(text)
    with pytest.raises(Refusal) as refused:
        pause.run(machine, NOW + 60, NOW)
    assert (refused.value.code, refused.value.fix) == ("not-installed", "Run `runaway setup`.")


def test_runaway_alone_shows_the_state_and_the_next_step(bare: Machine) -> None:
    before = status.overview(bare, 1.0).lines
    assert before[0] == "NOT armed. The guard is not installed on this machine."
    assert before[-1] == "Next: runaway setup; all commands: runaway --help"
    setup.run(bare, setup.Options(("claude",)))
    after = status.overview(bare, 1.0).lines
    assert after[-1] == "Next: runaway doctor proves it; all commands: runaway --help"
