"""CONTINUATION: laps that nobody asked for.

A lap is a turn that something else than a person begins, or keeps from ending: a Stop hook, a goal, an
autopilot, a wake-up, the notice of a finished task. Whatever the agent does in it, only a person starts
the count anew. Who wants laps grants them: `runaway resume --laps N`, or by the limits.
"""

from __future__ import annotations

from .ladder import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Context, Verdict


def laps(context: Context) -> Verdict:
    """Judge the laps since a person spoke, beyond those that were granted."""
    count = context.state.get("laps", 0) - context.state.get("more_laps", 0)
    return evaluate(context, "continuation.laps", count)
