"""LOOP: the same call again and again, or too many calls since anybody spoke."""

from __future__ import annotations

from ..call import DENY, WAIT
from ..history import KEY, LEVEL, NEVER_RAN, OUTCOME, STARTED, STREAK
from ..policy import SLOW_GAP, SLOW_REPEATS
from .ladder import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Context, Verdict
    from ..policy import Limits
    from ..state import CallRecord


def verdicts(context: Context) -> Iterator[Verdict]:
    """Judge repeats of this call, then the number of calls since the prompt."""
    earlier = _earlier_equal(context)
    polls = context.call.kind == WAIT or _is_slow(earlier, context.record)
    limits = SLOW_REPEATS if polls else None
    yield same_result(context, earlier, limits)
    yield same_call(context, limits)
    yield evaluate(context, "loop.calls_per_prompt", context.agent["count"])


def same_result(context: Context, earlier: list[CallRecord], limits: Limits | None) -> Verdict:
    """Count earlier equal calls among the last 50 with one and the same result, and this one."""
    known = [record[OUTCOME] for record in earlier if record[OUTCOME] not in ("", NEVER_RAN)]
    most = max(map(known.count, known), default=0)
    denied = sum(record[LEVEL] >= DENY for record in earlier)
    count = most + denied + 1 if most > 1 else 0
    return evaluate(context, "loop.same_result", count, context.record[KEY], limits)


def same_call(context: Context, limits: Limits | None) -> Verdict:
    """Count the same call in a row, whatever its result."""
    return evaluate(context, "loop.same_call", context.record[STREAK], context.record[KEY], limits)


def _earlier_equal(context: Context) -> list[CallRecord]:
    found = []
    for record in context.agent["calls"]:
        if record is context.record:
            break
        if record[KEY] == context.record[KEY]:
            found.append(record)
    return found


def _is_slow(earlier: list[CallRecord], record: CallRecord) -> bool:
    """Tell whether the last three gaps were half a minute or more: polling, not a loop."""
    times = [other[STARTED] for other in earlier[-3:]] + [record[STARTED]]
    gaps = [later - before for before, later in zip(times, times[1:])]
    return len(gaps) == 3 and min(gaps) >= SLOW_GAP
