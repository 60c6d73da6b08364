"""Ask every wire about a call, and decide what to answer: pure, so that past sessions can be replayed."""

from __future__ import annotations

from .call import ASK, DENY, NO_OPINION, NOTE, NOTHING, STOP, Case
from .history import ID, LEVEL, UNSEEN, enter, find, remember
from .wires import failure, loop, spend, storm, tamper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .call import Call, Verdict
    from .policy import Policy


def judge(
    call: Call, memory: dict[str, Any], policy: Policy, now: float
) -> tuple[Verdict, int, bool]:
    """(verdict, level to answer with, first time asked); the call is in `memory` afterwards."""
    agent = enter(memory, call, now)
    known = find(agent, call.identity)
    record = known or remember(memory, agent, call, now)
    case = Case(call, memory, agent, record, policy, now)
    verdict = worst(case)
    level = step(case, verdict, known is None)
    if known is None and not policy.silent(now):
        settle(case, verdict, level)
    return verdict, level, known is None


def judge_unseen(
    call: Call, memory: dict[str, Any], policy: Policy, now: float
) -> tuple[Verdict, int]:
    """After a batch: calls that no hook announced (invalid arguments) could not be denied one by one.

    All that is left above a note is to end the turn.
    """
    agent = enter(memory, call, now)
    found, level = NO_OPINION, NOTHING
    for record in agent["calls"]:
        if record[LEVEL] == UNSEEN:
            record[LEVEL] = NOTHING
            verdict = worst(Case(call, memory, agent, record, policy, now))
            if verdict.level > found.level:
                found = verdict
    if found.level:
        level = NOTE if found.level == NOTE else STOP
    return found, level


def worst(case: Case) -> Verdict:
    found = NO_OPINION
    for verdict in (
        *loop.verdicts(case),
        failure.rounds(case),
        *spend.verdicts(case),
        *storm.verdicts(case),
        tamper.verdict(case),
    ):
        if verdict.level > found.level:
            found = verdict
    return found


def step(case: Case, verdict: Verdict, first: bool) -> int:
    """Nobody answers an unattended run: deny instead of asking, end it on the second distinct trip.

    Past a cap the second denial ends it: each more would cost a response. A rule that never denies
    only leaves its note there. `first`: this call was not asked about before.
    """
    if case.call.attended or verdict.level < ASK:
        return verdict.level
    limits = case.policy.limits.get(verdict.rule)
    if limits and limits[DENY - 1] is None and limits[STOP - 1] is None:
        return NOTE if verdict.count == limits[ASK - 1] else NOTHING
    subject = f"{verdict.rule}:{verdict.subject}"
    tripped = case.memory.setdefault("tripped", {})
    tripped[subject] = tripped.get(subject, 0) + first
    spent = verdict.rule.startswith("spend.") and tripped[subject] > 1
    return STOP if spent or len(tripped) > 1 else max(verdict.level, DENY)


def settle(case: Case, verdict: Verdict, level: int) -> None:
    """Remember what was answered: a denied call is no evidence, an asked one may be approved."""
    case.record[LEVEL] = level
    if level == ASK:
        case.memory.setdefault("asked", {})[case.record[ID]] = f"{verdict.rule}:{verdict.subject}"
    if level >= DENY and verdict.rule == "failure.rounds":
        failure.denied(case)
