"""LOOP: the same call again and again, or too many calls since anybody spoke."""

from __future__ import annotations

from ..call import DENY, WAIT
from ..history import KEY, LEVEL, OUTCOME, STARTED, STREAK
from ..outcomes import FAILURE, exact, is_known, shared
from ..policy import SLOW_GAP, SLOW_REPEATS
from .ladder import evaluate

RECENT = 5  # results: one more that is no other is a matter of `loop.same_result`

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Context, Verdict
    from ..policy import Limits
    from ..state import CallRecord


def verdicts(context: Context) -> Iterator[Verdict]:
    """Judge repeats of this call, then the number of calls since the prompt."""
    earlier = _earlier_equal(context)
    known = [record[OUTCOME] for record in earlier if is_known(record[OUTCOME])]
    denied = sum(record[LEVEL] >= DENY for record in earlier)
    polls = context.call.kind == WAIT or _is_slow(earlier, context.record)
    yield same_failure(context, known, denied)
    yield same_result(context, known, denied, SLOW_REPEATS if polls else None)
    yield same_call(context, SLOW_REPEATS if polls or _tells_news(known) else None)
    yield evaluate(context, "loop.calls_per_prompt", context.agent["count"])


def same_failure(context: Context, known: list[str], denied: int) -> Verdict:
    """Count earlier equal calls that failed as the last one did, since one succeeded or files were
    changed.
    """
    failures: list[str] = []
    for one in known:
        failures = [*failures, shared(one)] if one[:1] == FAILURE != one[1:2] else []
    return _repeated(context, "loop.same_failure", _like_last(failures), denied, None)


def same_result(context: Context, known: list[str], denied: int, limits: Limits | None) -> Verdict:
    """Count earlier equal calls among the last 50 with the result that the last one had."""
    like = max(_like_last([part(one) for one in known]) for part in (exact, shared))
    return _repeated(context, "loop.same_result", like if like > 1 else 0, denied, limits)


def same_call(context: Context, limits: Limits | None) -> Verdict:
    """Count the same call in a row, whatever its result."""
    return evaluate(context, "loop.same_call", context.record[STREAK], context.record[KEY], limits)


def response(context: Context) -> Verdict:
    """Count how often the response that is being written repeats its end."""
    return evaluate(context, "loop.response", context.call.repeats)


def _repeated(
    context: Context, rule: str, results: int, denied: int, limits: Limits | None
) -> Verdict:
    """Judge this call after so many equal results; each denial of it is a step further up.

    The verdict tells of the results alone.
    """
    count = results + denied + 1 if results else 0
    verdict = evaluate(context, rule, count, context.record[KEY], limits)
    if verdict.level:
        verdict.count = results
    return verdict


def _like_last(values: list[str]) -> int:
    """Return how often the last of them is there."""
    return values.count(values[-1]) if values else 0


def _tells_news(known: list[str]) -> bool:
    """Tell whether one of the last results was new, and not only by its time."""
    values = [shared(one) for one in known]
    return len(set(values)) > 1 and not set(values[-RECENT:]) <= set(values[:-RECENT])


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
