"""SPEND: dollars per prompt, in five minutes, per session and per day; never cleared by a prompt."""

from __future__ import annotations

from ..call import NO_OPINION, NOTE, Verdict
from ..policy import UNATTENDED_CAP
from .ladder import level_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..call import Case
    from ..policy import Limits


def verdicts(case: Case) -> Iterator[Verdict]:
    spend = case.memory.get("spend")
    if not spend:
        return
    recent = sum(dollars for _, dollars in spend["recent"])
    limits = case.policy.limits
    yield _climb(case, "spend.prompt", spend["prompt"], limits["spend.prompt"])
    yield _climb(case, "spend.velocity", recent, limits["spend.velocity"])
    yield _climb(case, "spend.session", spend["total"], _session_limits(case))
    project, machine = spend.get("day", (0.0, 0.0))
    yield _climb(case, "spend.day", project, limits["spend.day"])
    yield _climb(case, "spend.machine_day", machine, _cap_limits(case.policy.day_cap, spend))


def _session_limits(case: Case) -> Limits:
    """The user's cap, or one of our own where nobody watches."""
    cap = case.policy.session_cap or (0 if case.call.attended else UNATTENDED_CAP)
    return _cap_limits(cap, case.memory["spend"])


def _cap_limits(cap: float, spend: dict[str, Any]) -> Limits:
    """One more response as dear as the last must fit under a cap; past the cap itself nothing runs."""
    if not cap:
        return (None, None, None, None)
    return (cap / 2, max(0.0, cap - spend["last"]), None, cap)


def _climb(case: Case, rule: str, dollars: float, limits: Limits) -> Verdict:
    """A note once at its threshold (for caps once more at 80 %), then the ladder."""
    factor = case.memory.get("granted", {}).get(f"{rule}:", 1)
    level = level_at(dollars, (None, *limits[1:]), factor)
    if level:
        return Verdict(level, rule, dollars)
    if limits[0] is None or dollars < limits[0]:
        return NO_OPINION
    step = f"{rule}:{2 if limits[3] == 2 * limits[0] and dollars >= 0.8 * limits[3] else 1}"
    noted = case.memory["spend"].setdefault("noted", [])
    if step in noted:
        return NO_OPINION
    noted.append(step)
    return Verdict(NOTE, rule, dollars)
