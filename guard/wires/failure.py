"""FAILURE: one failing round after the other, with whatever tool."""

from __future__ import annotations

from ..call import NO_OPINION
from ..history import KEY
from .ladder import evaluate

NONE = (0, "", "", 0)
OWN, PROJECT = (
    2,
    4,
)  # where in `failing` the denials by a limit of the user's, of the project's stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..call import Context, Verdict


def rounds(context: Context) -> Verdict:
    """Failing rounds in a row. After a denial another call may try: each failing round denies once.

    `failing` is `[count, last round, key of the call denied since, denials of it]`, the last two once
    more where a project's limit denied: that another call may try then is no leave under the user's.
    """
    failing = _failing(context)
    place = PROJECT if context.policy.source else OWN
    count, denied, attempts = failing[0], failing[place], failing[place + 1]
    if denied and denied != context.record[KEY]:
        return NO_OPINION
    return evaluate(context, "failure.rounds", count + attempts)


def denied(context: Context, source: str) -> None:
    """Remember which call was denied for the failures before it, by whose limit."""
    failing = context.agent["failing"] = _failing(context)
    place = PROJECT if source else OWN
    failing[place] = context.record[KEY]
    failing[place + 1] += 1


def _failing(context: Context) -> list[Any]:
    return [*context.agent.get("failing", NONE), "", 0][:6]
