"""SPEND: dollars per prompt, in five minutes, per session and per day; never cleared by a prompt."""

from __future__ import annotations

from ..call import NO_OPINION, NOTE, PROJECT, TOOL, Verdict, factor
from ..history import ID
from ..policy import UNATTENDED_CAP
from .ladder import level_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Case
    from ..policy import Limits


OTHERS = 2  # the response that makes a call, and the one that answers a denial


def verdicts(case: Case) -> Iterator[Verdict]:
    spend = case.memory.get("spend")
    if not spend:
        return
    recent = sum(dollars for _, dollars in spend["recent"])
    limits = case.policy.limits
    yield _climb(case, "spend.prompt", spend["prompt"], limits["spend.prompt"])
    yield _climb(case, "spend.velocity", recent, limits["spend.velocity"])
    yield _under(_session_cap(case), case, "spend.session", spend["total"])
    project, machine = spend.get("day", (0.0, 0.0))
    yield _climb(case, "spend.day", project, limits["spend.day"])
    yield _under(case.policy.day_cap, case, "spend.machine_day", machine, OTHERS)


def _session_cap(case: Case) -> float:
    """The user's cap, or one of our own where nobody watches."""
    cap = case.policy.session_cap or (0 if case.call.attended else UNATTENDED_CAP)
    return float(cap and cap + case.memory.get("extra", 0))


def _under(cap: float, case: Case, rule: str, dollars: float, others: int = 0) -> Verdict:
    """One more response as dear as the last must fit; where it will be denied, what is said then too.

    The response that makes this call is not in the log yet where the call itself is not. `others`:
    responses that another session may have under way, which its own log will tell only later.
    """
    if not cap:
        return NO_OPINION
    last = case.memory["spend"]["last"]
    present = dollars + (0 if _is_logged(case) else last)
    end = cap if case.call.attended else cap - (1 + others) * last
    limits = (cap / 2, max(0.0, end - last), None, max(0.0, end))
    return _climb(case, rule, present, limits, 0.8 * cap)


def _is_logged(case: Case) -> bool:
    if case.call.stage != TOOL or not case.memory.get("logs", {}).get("files"):
        return True
    return case.record[ID] in case.agent.get("unseen", ())


def _climb(case: Case, rule: str, dollars: float, limits: Limits, again: float = 0) -> Verdict:
    """A note once at its threshold and, if there is one, once more at the second; then the ladder."""
    source = case.policy.source
    times = factor(case.memory.get("granted", {}), rule, "", source)
    level = level_at(dollars, (None, *limits[1:]), times)
    if level:
        return Verdict(level, rule, dollars, source=source)
    if limits[0] is None or dollars < limits[0]:
        return NO_OPINION
    step = f"{rule}:{2 if again and dollars >= again else 1}{PROJECT if source else ''}"
    noted = case.memory["spend"].setdefault("noted", [])
    if step in noted:
        return NO_OPINION
    noted.append(step)
    return Verdict(NOTE, rule, dollars, source=source)
