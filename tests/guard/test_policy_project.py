from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.policy import DEFAULTS, Policy, tighten


def tightened(folder: Path, wish: Any, **own: Any) -> Policy:
    (folder / ".runaway.json").write_text(wish if isinstance(wish, str) else json.dumps(wish))
    policy = Policy(own, "/nowhere")
    tighten(policy, str(folder))
    return policy


def test_a_project_may_lower_thresholds_and_caps(tmp_path: Path) -> None:
    wish = {"limits": {"loop.same_call": [2, 4, 6, 8]}, "session_cap": 5, "day_cap": 7}
    policy = tightened(tmp_path, wish, session_cap=20)
    assert list(policy.limits["loop.same_call"]) == [2, 4, 6, 8]
    assert (policy.session_cap, policy.day_cap) == (5, 7)


def test_a_project_cannot_raise_or_remove_anything(tmp_path: Path) -> None:
    wish = {
        "limits": {"loop.same_call": [0, 100, None, 1000], "failure.rounds": [-1, 99, 99, 99]},
        "session_cap": 500,
        "day_cap": 0,
        "observe": True,
        "paused_until": 9e9,
        "protected": [],
        "prices": {"claude-opus-5-5": [[0] * 12]},
        "state": "/elsewhere",
    }
    policy = tightened(tmp_path, wish, session_cap=20, day_cap=30, protected=["/ours"])
    assert policy.limits == DEFAULTS
    assert (policy.session_cap, policy.day_cap, policy.state) == (20, 30, "/nowhere")
    assert policy.protected == ["/ours"]
    assert not policy.silent(1.0)
    assert policy.prices == {}


@pytest.mark.parametrize(
    "wish",
    [
        "",
        "{",
        "[]",
        '{"limits": {"loop.same_call": [3]}}',
        '{"limits": 7}',
        '{"limits": {"loop.same_call": "x"}}',
    ],
)
def test_one_that_makes_no_sense_is_an_error_and_changes_nothing_for_the_worse(
    tmp_path: Path, wish: str
) -> None:
    policy = Policy({}, "/nowhere")
    (tmp_path / ".runaway.json").write_text(wish)
    with pytest.raises((ValueError, TypeError, AttributeError)):
        tighten(policy, str(tmp_path))
    assert policy.limits == DEFAULTS


def test_without_one_nothing_changes(tmp_path: Path) -> None:
    policy = Policy({}, "/nowhere")
    tighten(policy, str(tmp_path))
    assert policy.limits == DEFAULTS
