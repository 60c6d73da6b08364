"""The bill and the last calls of a session, however its log is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer import cost_breakdown
from runaway.installer.commands.why import _by_agent
from runaway.installer.sessions import Session

GOLDEN = Path(__file__).parents[1] / "guard/transcripts/golden"
OF_COPILOT, OF_DROID = "subagents/events.jsonl", "session.jsonl"


def seen(harness: str, log: str) -> Session:
    path = str(GOLDEN / harness / log)
    return Session(harness, "s", "/", 0, 0, 0, 0, 0, "", 0, path, money_known=True)


def test_the_bill_adds_up_all_agents_in_one_log() -> None:
    [line] = cost_breakdown.lines(cost_breakdown.paid(seen("copilot", OF_COPILOT)), {})
    assert (line.model, line.responses, line.known) == ("claude-sonnet-4.6", 6, True)
    assert line.tokens == {"input": 6030, "output": 9}
    assert line.dollars == pytest.approx((6030 * 3 + 9 * 15) / 1e6)


def test_the_last_calls_are_told_with_their_agents() -> None:
    calls = cost_breakdown.last_calls(seen("copilot", OF_COPILOT), 3)
    assert [(call.tool, bool(call.agent), call.outcome) for call in calls] == [
        ("Agent", False, "ok"),
        ("Agent", True, "ok"),
        ("Bash", True, "ok"),
    ]
    assert len({call.agent for call in calls}) == 3


def test_sums_that_stand_beside_a_log_are_billed() -> None:
    [line] = cost_breakdown.lines(cost_breakdown.paid(seen("droid", OF_DROID)), {})
    assert line.tokens == {"input": 2046, "output": 125, "cache_read": 2000, "cache_write_5m": 100}
    assert line.dollars > 0
    outcomes = [call.outcome for call in cost_breakdown.last_calls(seen("droid", OF_DROID), 3)]
    assert outcomes[-2:] == ["failed", "ok"]
    assert "neutral" not in outcomes, "what was kept from running"


def test_the_money_is_told_by_agent_and_adds_up_to_the_bill() -> None:
    parts = cost_breakdown.paid(seen("copilot", OF_COPILOT))
    branches = cost_breakdown.branches(parts, {})
    assert len(branches) == 3
    assert [branch.agent for branch in branches].count("") == 1
    assert [branch.dollars for branch in branches] == sorted(
        (branch.dollars for branch in branches), reverse=True
    )
    [line] = cost_breakdown.lines(parts, {})
    assert sum(branch.dollars for branch in branches) == pytest.approx(line.dollars)
    assert sum(branch.responses for branch in branches) == line.responses


def test_the_money_of_many_agents_fits_the_screen() -> None:
    branches = tuple(cost_breakdown.Branch(f"agent{n}", 1, 20.0 - n) for n in range(12))
    title, *rows, rest = _by_agent(branches)
    assert (title, len(rows)) == ("Money by agent (12):", 8)
    assert rest == "  4 more: $42.0000"
    assert not list(_by_agent(branches[:1]))
