"""FAILURE: one failing round after the other, with whatever tool."""

from __future__ import annotations

from ..call import NO_OPINION
from ..history import KEY
from .ladder import climb

NONE = (0, "", "", 0)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Case, Verdict


def rounds(case: Case) -> Verdict:
    """Failing rounds in a row. After a denial another call may try: each failing round denies once.

    `failing` is `[count, last round, key of the call denied since, denials of it]`.
    """
    count, _, denied, attempts = case.agent.get("failing", NONE)
    if denied and denied != case.record[KEY]:
        return NO_OPINION
    return climb(case, "failure.rounds", count + attempts)


def denied(case: Case) -> None:
    """Remember which call was denied for the failures before it."""
    count, last, _, attempts = case.agent.get("failing", NONE)
    case.agent["failing"] = [count, last, case.record[KEY], attempts + 1]
