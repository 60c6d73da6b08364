"""How far up the ladder (note, ask, deny, stop) a count has come."""

from __future__ import annotations

from ..approvals import factor
from ..call import NO_OPINION, NOTE, NOTHING, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Context
    from ..policy import Limits


def evaluate(
    context: Context, rule: str, count: float, subject: str = "", limits: Limits | None = None
) -> Verdict:
    """Return the verdict of a rule for this count; approvals have raised the limits of `subject`."""
    source = context.policy.source
    times = factor(context.state.get("granted", {}), rule, subject, source)
    level = level_at(count, limits or context.policy.limits[rule], times)
    return Verdict(level, rule, count, subject, source) if level else NO_OPINION


def level_at(count: float, limits: Limits, factor: int = 1) -> int:
    """Return the highest step whose threshold is reached; a note only at its exact count."""
    level = NOTHING
    for step, threshold in enumerate(limits, NOTE):
        if threshold is not None and count >= threshold * factor:
            level = step
    if level == NOTE and count != limits[0] * factor:  # type: ignore[operator]  # reached: not None
        return NOTHING
    return level
