"""Whether money is known in Cursor's sessions is told as it is."""

from __future__ import annotations

from typing import Any

import pytest

from runaway.guard.session import Session
from runaway.installer.harnesses.cursor import hook_log
from runaway.installer.machine import Machine


def session(machine: Machine, name: str, state: dict[str, Any]) -> None:
    one = Session(str(machine.state), "cursor", name)
    one.state = {**one.state, **state}  # type: ignore[typeddict-item]
    one.save()
    one.close()


@pytest.mark.parametrize(
    ("states", "level", "words"),
    [
        ([{}], "info", "none of the last 1 sessions"),
        ([{}, {"spend": {"total": 1.0}}], "ok", "1 of the last 2 sessions"),
    ],
)
def test_whether_sessions_told_their_tokens(
    machine: Machine, states: list[dict[str, Any]], level: str, words: str
) -> None:
    for number, state in enumerate(states):
        session(machine, str(number), state)
    [spend] = [check for check in hook_log.checks(machine) if check.check == "fires.spend"]
    assert spend.level == level
    assert words in spend.message


def test_without_a_session_there_is_nothing_to_tell(machine: Machine) -> None:
    assert [check.check for check in hook_log.checks(machine)] == ["fires.log"]
