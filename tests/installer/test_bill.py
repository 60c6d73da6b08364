"""The bill and the last calls of a session whose agents share one log."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer import bill
from runaway.installer.observed import Seen

GOLDEN = Path(__file__).parents[1] / "guard/transcripts/golden/copilot"


def seen(name: str) -> Seen:
    log = str(GOLDEN / name / "events.jsonl")
    return Seen("copilot", "s", "/", 0, 0, 0, 0, 0, "", 0, log, money_known=True)


def test_the_bill_adds_up_all_agents() -> None:
    [line] = bill.lines(seen("subagents"), {})
    assert (line.model, line.responses, line.known) == ("claude-sonnet-4.6", 6, True)
    assert line.tokens == {"input": 6030, "output": 9}
    assert line.dollars == pytest.approx((6030 * 3 + 9 * 15) / 1e6)


def test_the_last_calls_are_told_with_their_agents() -> None:
    calls = bill.last_calls(seen("subagents"), 3)
    assert [(call.tool, bool(call.agent), call.outcome) for call in calls] == [
        ("Agent", False, "ok"),
        ("Agent", True, "ok"),
        ("Bash", True, "ok"),
    ]
    assert len({call.agent for call in calls}) == 3
