"""FAILURE: one failing round after the other, with whatever tool.

A round is all the calls of one response. After a denial another call may try: each failing round denies
once. What a project's limit has denied is remembered apart, so that the leave to try another call under
the project's limit is none under the user's.
"""

from __future__ import annotations

from ..call import NO_OPINION
from ..history import KEY, STARTED
from .ladder import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Context, Verdict
    from ..state import AgentState, CallRecord, FailureStreak

NONE: FailureStreak = (0, "", "", 0, "", 0)
MAX_CALLS = 20  # of one response that are told apart


def rounds(context: Context) -> Verdict:
    """Judge failing rounds in a row, unless a denial has just left room for another call."""
    count, _, key, attempts, project_key, project_attempts = _streak(context.agent)
    if context.policy.source:
        key, attempts = project_key, project_attempts
    if key and key != context.record[KEY]:
        return NO_OPINION
    return evaluate(context, "failure.rounds", count + attempts)


def remember_denial(context: Context, source: str) -> None:
    """Remember which call was denied for the failures before it; `source`: by whose limit."""
    count, last, key, attempts, project_key, project_attempts = _streak(context.agent)
    if source:
        project_key, project_attempts = context.record[KEY], project_attempts + 1
    else:
        key, attempts = context.record[KEY], attempts + 1
    context.agent["failing"] = (count, last, key, attempts, project_key, project_attempts)


def count_result(
    agent: AgentState, record: CallRecord, failed: bool, round: str, now: float
) -> None:
    """Count failing rounds in a row; a success ends the row. `round`: id of the response, or ""."""
    if not failed:
        forget(agent)
        return
    count, last, *_ = _streak(agent)
    round = round or _round_of(record, last, now)
    if round != last:
        agent["failing"] = (count + 1, round, "", 0, "", 0)
        agent["failed"] = []
    agent["failed"] = [*agent.get("failed", ()), record[KEY]][-MAX_CALLS:]


def has_failed(agent: AgentState, key: str, round: str) -> bool:
    """Tell whether an equal call of the same response, if the log names it, has failed already."""
    return bool(round) and round == _streak(agent)[1] and key in agent.get("failed", ())


def forget(agent: AgentState) -> None:
    """End the row of failing rounds."""
    agent["failing"] = NONE
    agent.pop("failed", None)


def _round_of(record: CallRecord, last: str, now: float) -> str:
    """Name the round of a result whose log names no response.

    A call that was already running at the last failure counts towards the same round.
    """
    if last[:1] == "@" and record[STARTED] < float(last[1:]):
        return last
    return f"@{now}"


def _streak(agent: AgentState) -> FailureStreak:
    """Return the stored streak, of which older releases left out the last two items."""
    return (*agent.get("failing", NONE), "", 0)[:6]
