"""`runaway why` says why this step, and shows the calls that looped."""

from __future__ import annotations

import pytest

from runaway.guard.policy import DEFAULTS
from runaway.installer.commands.why import _step
from runaway.installer.sessions import Trip

ASKED = "  Nobody was there to be asked, or the agent cannot ask: so the call was denied."
AGAIN = "  Nobody watches this run, and it had tripped before: so the turn was ended."
AT_ONCE = "  Nobody watches this run: so the turn was ended."


def trip(rule: str, count: float, level: str) -> Trip:
    return Trip(1.0, "claude", "s", "", "/p", "Bash", rule, count, level, True, "")


@pytest.mark.parametrize(
    ("rule", "count", "level", "at", "why"),
    [
        ("loop.same_result", 5, "ask", 6, None),
        ("loop.same_result", 5, "deny", 6, ASKED),
        ("loop.same_result", 11, "stop", 12, None),
        ("loop.same_result", 7, "stop", 8, AGAIN),
        ("loop.same_call", 12, "deny", 12, None),
        ("failure.rounds", 6, "deny", 6, ASKED),
        ("spend.prompt", 25.5, "stop", 25.5, AGAIN),
        ("continuation.laps", 25, "stop", 25, AT_ONCE),
        ("storm.subagents_per_minute", 16, "stop", 16, AT_ONCE),
    ],
)
def test_the_step_is_explained(
    rule: str, count: float, level: str, at: float, why: str | None
) -> None:
    steps, *more = _step(trip(rule, count, level), DEFAULTS[rule])
    assert steps.endswith(f"It was at {at:g}.")
    assert more == ([why] if why else [])
