"""SPEND: dollars per prompt, in five minutes, per session and per day; never cleared by a prompt."""

from __future__ import annotations

from ..approvals import PROJECT, factor
from ..call import BEFORE_CALL, NO_OPINION, NOTE, Verdict
from ..history import ID
from ..policy import UNATTENDED_CAP
from .ladder import level_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Context
    from ..policy import Limits


OTHERS = 2  # the response that makes a call, and the one that answers a denial


def verdicts(context: Context) -> Iterator[Verdict]:
    """Judge what has been spent; nothing where the harness has told of no money yet."""
    spend = context.state.get("spend")
    if not spend:
        return
    recent = sum(dollars for _, dollars in spend["recent"])
    limits = context.policy.limits
    yield _evaluate(context, "spend.prompt", spend["prompt"], limits["spend.prompt"])
    yield _evaluate(context, "spend.velocity", recent, limits["spend.velocity"])
    yield _evaluate_cap(_session_cap(context), context, "spend.session", spend["total"])
    project, machine = spend.get("day", (0.0, 0.0))
    yield _evaluate_day(context, project)
    yield _evaluate_cap(context.policy.day_cap, context, "spend.machine_day", machine, OTHERS)


def _evaluate_day(context: Context, dollars: float) -> Verdict:
    """Note once a day, and not what another session of the project was told."""
    spend, limits = context.state["spend"], context.policy.limits["spend.day"]
    told, day = spend.get("day_noted", (0.0, ""))
    if limits[0] is not None and told >= limits[0]:
        limits = (None, *limits[1:])
    verdict = _ladder(context, "spend.day", dollars, limits)
    if verdict.level == NOTE:
        spend["day_noted"] = (dollars, day)
    return verdict


def _session_cap(context: Context) -> float:
    """Return the user's cap in dollars, or one of our own where nobody watches; 0 is none."""
    cap = context.policy.session_cap or (0 if context.call.attended else UNATTENDED_CAP)
    return float(cap and cap + context.state.get("extra", 0))


def _evaluate_cap(
    cap: float, context: Context, rule: str, dollars: float, others: int = 0
) -> Verdict:
    """Judge a cap: one more response as dear as the last must fit under it.

    Where the call would be denied, the answer to the denial must fit too. The response that makes this
    call is not in the log yet where the call itself is not. `others`: responses that another session may
    have under way, which its own log will tell only later.
    """
    if not cap:
        return NO_OPINION
    last = context.state["spend"]["last"]
    present = dollars + (0 if _is_logged(context) else last)
    end = cap if context.call.attended else cap - (1 + others) * last
    limits = (cap / 2, max(0.0, end - last), None, max(0.0, end))
    return _evaluate(context, rule, present, limits, 0.8 * cap)


def _is_logged(context: Context) -> bool:
    if context.call.stage != BEFORE_CALL or not context.state.get("logs", {}).get("files"):
        return True
    return context.record[ID] in context.agent.get("unseen", ())


def _evaluate(
    context: Context, rule: str, dollars: float, limits: Limits, again: float = 0
) -> Verdict:
    """Note once at the threshold and once more at `again` dollars (0: never); then climb the ladder."""
    verdict = _ladder(context, rule, dollars, limits)
    if verdict.level == NOTE:
        mark = PROJECT if verdict.source else ""
        step = f"{rule}:{2 if again and dollars >= again else 1}{mark}"
        noted = context.state["spend"].setdefault("noted", [])
        if step in noted:
            return NO_OPINION
        noted.append(step)
    return verdict


def _ladder(context: Context, rule: str, dollars: float, limits: Limits) -> Verdict:
    """Return the step that has been reached; a note at its threshold and above."""
    source = context.policy.source
    times = factor(context.state.get("granted", {}), rule, "", source)
    level = level_at(dollars, (None, *limits[1:]), times)
    if not level and limits[0] is not None and dollars >= limits[0]:
        level = NOTE
    return Verdict(level, rule, dollars, source=source) if level else NO_OPINION
