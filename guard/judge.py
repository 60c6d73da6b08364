"""Ask every wire about a call, and decide what to answer: pure, so that past sessions can be replayed.

But for TAMPER, which reads the settings file that a call would change.
"""

from __future__ import annotations

from .call import ASK, DENY, NO_OPINION, NOTE, NOTHING, STOP, Context, Verdict, scope
from .history import ID, LEVEL, UNSEEN, agent_state, begins_turn, find, record_call
from .wires import failure, loop, spend, storm, tamper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .call import Call
    from .policy import Policy

NONE: frozenset[int] = frozenset()  # of the levels that a harness may lack
CAPS = ("spend.session", "spend.machine_day")
CLEARED = ("loop.", "failure.", "storm.")  # by a prompt of a person
TAMPER = "tamper"
OVER = "over"  # the subject of a verdict on a turn that should have ended


def judge(
    call: Call,
    memory: dict[str, Any],
    policy: Policy,
    now: float,
    lacks: frozenset[int] = NONE,
) -> tuple[Verdict, int, bool]:
    """(verdict, level to answer with, first time asked); the call is in `memory` afterwards."""
    agent = agent_state(memory, call, now)
    unsure = begins_turn(memory, call)
    known = find(agent, call.identity)
    record = known or record_call(memory, agent, call, now)
    context = Context(call, memory, agent, record, policy, now)
    if now < memory.get("lifted_until", 0):
        return NO_OPINION, NOTHING, known is None
    over = agent.get("over")
    verdict, level = ended_turn(over) if over else most_severe(context, unsure, lacks)
    level = escalate(context, verdict, level, known is None)
    if known is None and not policy.silent(now):
        remember_answer(context, verdict, level)
        if level == STOP and STOP in lacks:
            end_turn(agent, verdict)
    return verdict, min(level, DENY) if STOP in lacks else level, known is None


def end_turn(agent: dict[str, Any], verdict: Verdict) -> None:
    """Where no hook can end a turn, all further calls of this agent are denied until the next prompt.

    Not after a cap, which is measured anew at each call.
    """
    if verdict.rule[:5] != "spend":
        agent["over"] = [verdict.rule, verdict.count, verdict.source]


def ended_turn(over: list[Any]) -> tuple[Verdict, int]:
    """What a turn that should have ended is told at each further call."""
    rule, count, *source = over
    return Verdict(STOP, rule, count, OVER, *source), STOP


def judge_prompt(
    call: Call, memory: dict[str, Any], policy: Policy, now: float
) -> tuple[Verdict, int, bool]:
    """Before a prompt is sent only money counts: past a person's own cap it is held back."""
    context = Context(call, memory, agent_state(memory, call, now), [], policy, now)
    found = NO_OPINION
    if now >= memory.get("lifted_until", 0):
        for verdict in (one for view in context.by_policy() for one in spend.verdicts(view)):
            blocks = verdict.level >= ASK and verdict.rule in CAPS
            if (blocks or verdict.level == NOTE) and verdict.level > found.level:
                found = verdict
    return found, DENY if found.level >= ASK else found.level, True


def judge_request(
    call: Call, memory: dict[str, Any], policy: Policy, now: float
) -> tuple[Verdict, int, bool]:
    """Before the model is asked again: here ends a turn that no hook before a call could end."""
    over = agent_state(memory, call, now).get("over")
    if over and now >= memory.get("lifted_until", 0):
        return (*ended_turn(over), True)
    return judge_prompt(call, memory, policy, now)


def judge_unseen(
    call: Call,
    memory: dict[str, Any],
    policy: Policy,
    now: float,
    lacks: frozenset[int] = NONE,
) -> tuple[Verdict, int]:
    """After a batch: calls that no hook announced (invalid arguments) could not be denied one by one.

    All that is left above a note is to end the turn.
    """
    agent = agent_state(memory, call, now)
    found, level = NO_OPINION, NOTHING
    for record in agent["calls"]:
        if record[LEVEL] == UNSEEN:
            record[LEVEL] = NOTHING
            verdict, reached = most_severe(
                Context(call, memory, agent, record, policy, now), lacks=lacks
            )
            if reached > level:
                found, level = verdict, reached
    if level > NOTE:
        level = STOP
    if level == STOP and STOP in lacks:
        end_turn(agent, found)
        level = NOTE
    return found, level


def most_severe(
    context: Context, unsure: bool = False, lacks: frozenset[int] = NONE
) -> tuple[Verdict, int]:
    """The verdict that leads to the highest level, and that level.

    `unsure`: a person may just have spoken, so what that would clear does not count yet.
    """
    found, level = NO_OPINION, NOTHING
    for verdict in verdicts(context):
        if unsure and verdict.rule.startswith(CLEARED):
            continue
        reached = answerable(context, verdict, lacks)
        if reached > level:
            found, level = verdict, reached
    return found, level


def verdicts(context: Context) -> Iterator[Verdict]:
    """What every wire thinks of the call, by the user's limits and by those of the project's file."""
    for view in context.by_policy():
        yield from loop.verdicts(view)
        yield failure.rounds(view)
        yield from spend.verdicts(view)
        yield from storm.verdicts(view)
    yield tamper.verdict(context)


def answerable(context: Context, verdict: Verdict, lacks: frozenset[int]) -> int:
    """The level of a verdict where nobody can be asked: deny instead.

    A rule that never denies only leaves its note there.
    """
    can_ask = context.call.attended and ASK not in lacks
    if can_ask or verdict.level < ASK:
        return verdict.level
    policy = context.policy.project if verdict.source else context.policy
    limits = policy.limits.get(verdict.rule) if policy else None
    if limits and limits[DENY - 1] is None and limits[STOP - 1] is None:
        return NOTE if verdict.count == limits[ASK - 1] else NOTHING
    return max(verdict.level, DENY)


def escalate(context: Context, verdict: Verdict, level: int, first: bool) -> int:
    """An unattended run is ended on the second distinct trip.

    Past a cap the second denial ends it: each more would cost a response. Whatever calls TAMPER denies
    are one trip: an agent that looks for another way does not run away. `first`: this call was not
    asked about before.
    """
    if context.call.attended or level < DENY:
        return level
    subject = verdict.rule if verdict.rule == TAMPER else f"{verdict.rule}:{verdict.subject}"
    tripped = context.memory.setdefault("tripped", {})
    tripped[subject] = tripped.get(subject, 0) + first
    spent = verdict.rule.startswith("spend.") and tripped[subject] > 1
    return STOP if spent or len(tripped) > 1 else level


def remember_answer(context: Context, verdict: Verdict, level: int) -> None:
    """Remember what was answered: a denied call is no evidence, an asked one may be approved."""
    context.record[LEVEL] = level
    if level == ASK:
        subject = scope(verdict.rule, verdict.subject, verdict.source)
        context.memory.setdefault("asked", {})[context.record[ID]] = subject
    if level >= DENY and verdict.rule == "failure.rounds":
        failure.denied(context, verdict.source)
