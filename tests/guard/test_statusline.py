from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.policy import Policy
from runaway.guard.session import Session
from runaway.guard.statusline import line

NOW = 1_800_000_000.0
PAYLOAD = json.dumps({"session_id": "s", "cwd": "/"}).encode()
SPEND = {"total": 1.234, "day": [2.0, 4.5]}


def shown(folder: Path, memory: Any | None = None, **values: object) -> str:
    if memory is not None:
        session = Session(str(folder), "claude", "s")
        session.state = memory
        session.save()
        session.close()
    return line(PAYLOAD, Policy(values, str(folder)), NOW).decode()


def test_before_the_first_call_it_is_on_guard(tmp_path: Path) -> None:
    assert shown(tmp_path) == "runaway: on guard\n"
    assert list(tmp_path.iterdir()) == []


# What the session remembers, what the policy says, and the line that comes of it.
LINES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no money": ({}, {}, "on guard"),
    "money": ({"spend": SPEND}, {}, "on guard, $1.23 this session, $4.50 today"),
    "caps": (
        {"spend": SPEND},
        {"session_cap": 20.0, "day_cap": 100.0},
        "on guard, $1.23 of $20 this session, $4.50 of $100 today",
    ),
    "a raised cap": (
        {"spend": SPEND, "extra": 5},
        {"session_cap": 20.0},
        "on guard, $1.23 of $25 this session, $4.50 today",
    ),
    "observing": ({}, {"observe": True}, "observing"),
    "paused": ({}, {"paused_until": NOW + 60}, "paused for 2 min"),
    "a pause that is over": ({}, {"paused_until": NOW - 1}, "on guard"),
    "lifted": ({"lifted_until": NOW + 30}, {}, "paused for 1 min"),
    "stopped": (
        {"agents": {"": {"over": ["loop.same_call", 20]}}},
        {},
        "stopped by loop.same_call",
    ),
}


@pytest.mark.parametrize(("memory", "values", "wanted"), LINES.values(), ids=LINES.keys())
def test_the_line_tells_what_the_guard_does_and_what_was_spent(
    tmp_path: Path, memory: Any, values: dict[str, Any], wanted: str
) -> None:
    assert shown(tmp_path, memory, **values) == f"runaway: {wanted}\n"


def test_looking_changes_nothing(tmp_path: Path) -> None:
    shown(tmp_path, {"spend": SPEND})
    before = [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    shown(tmp_path)
    assert [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()] == before


WRONG: dict[str, dict[str, Any]] = {
    "agents": {"agents": []},
    "spend": {"spend": 5},
    "a sum": {"spend": {"total": "x"}},
    "a time": {"lifted_until": "x"},
}


@pytest.mark.parametrize("memory", WRONG.values(), ids=WRONG.keys())
def test_a_session_of_wrong_types_is_shown_as_one_that_has_not_begun(
    tmp_path: Path, memory: Any
) -> None:
    assert shown(tmp_path, memory) == "runaway: on guard\n"


def test_a_rule_of_the_state_file_cannot_steer_the_status_line(tmp_path: Path) -> None:
    memory = {"agents": {"": {"over": ["x\x1b[2J\n\u202e", 1]}}}
    assert shown(tmp_path, memory) == "runaway: stopped by x?[2J??\n"
