"""Reading ahead in other processes changes nothing but the time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from runaway.guard.policy import Policy
from runaway.installer.replay import ahead
from runaway.installer.replay.engine import Replayed, replay
from runaway.installer.replay.families import families

Log = Callable[..., Path]
SESSIONS = 5


@pytest.fixture
def logs(log: Log) -> list[Path]:
    """Each session repeats calls of the one before it, as forks do, and ends in a loop."""
    return [
        log(
            {"type": "prompt", "session": f"s{number}", "time": 1},
            *(
                {
                    "type": "call",
                    "time": 2 + n,
                    "id": f"{n * number}",
                    "tool": "x",
                    "arguments": 1,
                }
                for n in range(12)
            ),
            name=f"{number}.jsonl",
        )
        for number in range(SESSIONS)
    ]


def replayed(logs: list[Path]) -> list[Replayed]:
    found, _ = families(logs)
    return [one for _, one in replay(found, Policy({"observe": True}, "/none"))]


@pytest.mark.parametrize("largest", [1 << 25, 0], ids=["all of them", "none, all are too large"])
def test_the_same_comes_out(
    logs: list[Path], largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = replayed(logs)
    monkeypatch.setattr(ahead, "MIN_BYTES", 0)
    monkeypatch.setattr(ahead, "MAX_BYTES", largest)
    monkeypatch.setattr(ahead, "FAMILIES_AHEAD", 1)
    assert replayed(logs) == alone
    assert len(alone) == SESSIONS
    assert any(one.trips for one in alone)


def test_where_a_process_is_ended_the_rest_is_read_here(
    logs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = replayed(logs)
    monkeypatch.setattr(ahead, "MIN_BYTES", 0)
    monkeypatch.setattr(ahead, "_all", ended)
    monkeypatch.setattr(ahead, "PATIENCE", 2)
    assert replayed(logs) == alone


def ended(_family: object) -> None:
    import os

    os._exit(9)


def test_what_another_process_never_tells_is_read_here(
    logs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a task that is handed in while the pool breaks down."""
    alone = replayed(logs)
    monkeypatch.setattr(ahead, "MIN_BYTES", 0)
    monkeypatch.setattr(ahead, "PATIENCE", 0.01)
    monkeypatch.setattr(ahead, "_begun", lambda _pool, _family: Future())
    assert replayed(logs) == alone
