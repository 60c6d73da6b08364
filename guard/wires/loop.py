"""LOOP: the same call again and again, or too many calls since anybody spoke."""

from __future__ import annotations

from ..call import DENY, WAIT
from ..history import KEY, LEVEL, NEVER_RAN, RESULT, ROW, TIME
from ..policy import SLOW_GAP, SLOW_REPEATS
from .ladder import climb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Case, Verdict
    from ..history import Record
    from ..policy import Limits


def verdicts(case: Case) -> Iterator[Verdict]:
    earlier = _earlier_equal(case)
    polls = case.call.kind == WAIT or _is_slow(earlier, case.record)
    limits = SLOW_REPEATS if polls else None
    yield same_result(case, earlier, limits)
    yield same_call(case, limits)
    yield climb(case, "loop.calls_per_prompt", case.agent["count"])


def same_result(case: Case, earlier: list[Record], limits: Limits | None) -> Verdict:
    """Earlier equal calls among the last 50 that gave one and the same result, and this one."""
    known = [record[RESULT] for record in earlier if record[RESULT] not in ("", NEVER_RAN)]
    most = max(map(known.count, known), default=0)
    denied = sum(record[LEVEL] >= DENY for record in earlier)
    count = most + denied + 1 if most > 1 else 0
    return climb(case, "loop.same_result", count, case.record[KEY], limits)


def same_call(case: Case, limits: Limits | None) -> Verdict:
    """The same call in a row, whatever its result."""
    return climb(case, "loop.same_call", case.record[ROW], case.record[KEY], limits)


def _earlier_equal(case: Case) -> list[Record]:
    found = []
    for record in case.agent["calls"]:
        if record is case.record:
            break
        if record[KEY] == case.record[KEY]:
            found.append(record)
    return found


def _is_slow(earlier: list[Record], record: Record) -> bool:
    """Three gaps of half a minute in a row: somebody waits for something; far higher limits hold."""
    times = [other[TIME] for other in earlier[-3:]] + [record[TIME]]
    gaps = [later - before for before, later in zip(times, times[1:])]
    return len(gaps) == 3 and min(gaps) >= SLOW_GAP
