from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.policy import DEFAULTS, SLOW_REPEATS, Policy, load
from tests.support.processes import Guard, payload


def stored(folder: Path, text: str) -> Policy:
    (folder / "policy.json").write_text(text)
    return load(str(folder))


def test_without_a_file_the_defaults_hold_and_state_lies_beside_it(tmp_path: Path) -> None:
    policy = load(str(tmp_path))
    assert policy.limits == DEFAULTS
    assert policy.state == f"{tmp_path}/state"
    assert not policy.silent(0)
    assert (policy.session_cap, policy.day_cap) == (0, 0)


def test_values_overlay_the_defaults(tmp_path: Path) -> None:
    given = {
        "state": "/s",
        "observe": True,
        "limits": {"loop.same_call": [None, None, 3, 5]},
        "session_cap": 2.5,
        "day_cap": 9,
        "protected": ["/p"],
        "wired": ["/w"],
    }
    policy = stored(tmp_path, json.dumps(given))
    assert policy.state == "/s"
    assert policy.silent(0)
    assert policy.limits == {**DEFAULTS, "loop.same_call": [None, None, 3, 5]}
    assert (policy.session_cap, policy.day_cap) == (2.5, 9)
    assert (policy.protected, policy.wired) == (["/p"], ["/w"])


def test_a_pause_ends_by_itself() -> None:
    policy = Policy({"paused_until": 100.0}, "/s")
    assert policy.silent(99.9)
    assert not policy.silent(100.0)


def test_only_true_observes() -> None:
    others: tuple[Any, ...] = (None, 0, 1, "yes", "true", [])
    for value in others:
        assert not Policy({"observe": value}, "/s").silent(0)


def test_every_ladder_climbs() -> None:
    for limits in (*DEFAULTS.values(), SLOW_REPEATS):
        steps = [step for step in limits if step is not None]
        assert len(limits) == 4
        assert steps == sorted(steps)
        assert min(steps) > 0


HOSTILE: dict[str, Any] = {
    "a list": [],
    "null": None,
    "a number": 7,
    "limits that are a list": {"limits": [1]},
    "limits that are text": {"limits": {"loop.same_call": "abcd"}},
    "limits that are objects": {"limits": {"loop.same_call": [{}, {}, {}, {}]}},
    "a pause that is text": {"paused_until": "for ever"},
}


@pytest.mark.parametrize("values", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_policy_that_makes_no_sense_lets_calls_pass_and_leaves_a_line(
    guard: Guard, values: Any
) -> None:
    state = {"state": str(guard.state)}
    whole = {**state, **values} if isinstance(values, dict) else values
    (guard.machine.data / "policy.json").write_text(json.dumps(whole))
    for number in range(9):
        answer = guard.ask(payload(number=number))
        assert (answer.exit_code, answer.stderr) == (0, b"")
    assert guard.health()


@pytest.mark.parametrize("state", [7, "/\x00", "/dev/null/x"])
def test_where_no_state_can_be_a_line_stands_beside_the_policy(guard: Guard, state: Any) -> None:
    guard.policy(state=state)
    assert guard.ask(payload()) == (0, b"", b"")
    assert (guard.machine.data / "health.log").read_text()


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b'{"limits": {}} x', b"[" * 99_999])
def test_a_policy_that_is_not_json_lets_calls_pass_and_leaves_a_line(
    guard: Guard, data: bytes
) -> None:
    (guard.machine.data / "policy.json").write_bytes(data)
    assert guard.ask(payload()) == (0, b"", b"")
    assert len(guard.health()) == 1


def test_odd_but_harmless_values_leave_the_guard_at_work(guard: Guard) -> None:
    guard.policy(
        limits={"loop.same_call": [None, None, 2, None], "unknown.rule": [1, 1, 1, 1]},
        session_cap="",
        prices=None,
        protected=None,
        unknown={"a": 1},
    )
    assert [guard.ask(payload(number=n)).decision for n in range(2)] == ["", "deny"]
    assert guard.health() == []
