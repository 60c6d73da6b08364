"""Ask every wire about a call, and decide what to answer.

Pure, so that past sessions can be replayed, but for TAMPER: it reads the settings file that a call would
change.
"""

from __future__ import annotations

from . import approvals
from .call import ASK, DENY, NO_OPINION, NOTE, NOTHING, SPAWN, STOP, TURN_ENDED, Context, Verdict
from .history import (
    ID,
    LEVEL,
    NO_CALL,
    UNSEEN,
    agent_state,
    begins_turn,
    count_trip,
    find,
    record_call,
)
from .wires import continuation, failure, loop, spend, storm, tamper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .call import Call
    from .policy import Policy
    from .state import AgentState, EndedTurn, SessionState

NONE: frozenset[int] = frozenset()  # of the levels that a harness may lack
CAPS = ("spend.session", "spend.machine_day")
CLEARED = ("loop.", "failure.", "storm.", "continuation.")  # by a prompt of a person
TAMPER = "tamper"


def judge(
    call: Call,
    state: SessionState,
    policy: Policy,
    now: float,
    lacks: frozenset[int] = NONE,
) -> tuple[Verdict, int, bool]:
    """Return (verdict, level to answer with, first time asked) and record the call in `state`."""
    agent = agent_state(state, call, now)
    unsure = begins_turn(state, call)
    known = find(agent, call.identity)
    record = known or record_call(state, agent, call, now)
    context = Context(call, state, agent, record, policy, now)
    if now < state.get("lifted_until", 0):
        return NO_OPINION, NOTHING, known is None
    over = agent.get("over")
    verdict, level = ended_turn(over) if over else most_severe(context, unsure, lacks)
    level = escalate(context, verdict, level, known is None)
    if known is None and not policy.silent(now):
        remember_answer(context, verdict, level)
        if level == STOP and STOP in lacks:
            end_turn(agent, verdict)
    return verdict, min(level, DENY) if STOP in lacks else level, known is None


def end_turn(agent: AgentState, verdict: Verdict) -> None:
    """Deny all further calls of this agent until the next prompt, where no hook can end a turn.

    Not after a cap, which is measured anew at each call.
    """
    if verdict.rule[:5] != "spend":
        agent["over"] = (verdict.rule, verdict.count, verdict.source)


def ended_turn(over: EndedTurn) -> tuple[Verdict, int]:
    """Return what each further call is told in a turn that should have ended."""
    rule, count, *source = over  # older releases stored no source
    return Verdict(STOP, rule, count, TURN_ENDED, *source), STOP


def judge_prompt(
    call: Call, state: SessionState, policy: Policy, now: float
) -> tuple[Verdict, int, bool]:
    """Judge a prompt before it is sent: held back past a person's own cap, and only then."""
    context = Context(call, state, agent_state(state, call, now), NO_CALL, policy, now)
    found = NO_OPINION
    if now >= state.get("lifted_until", 0):
        for verdict in (one for view in context.by_policy() for one in spend.verdicts(view)):
            blocks = verdict.level >= ASK and verdict.rule in CAPS
            if (blocks or verdict.level == NOTE) and verdict.level > found.level:
                found = verdict
    return found, DENY if found.level >= ASK else found.level, True


def judge_request(
    call: Call, state: SessionState, policy: Policy, now: float
) -> tuple[Verdict, int, bool]:
    """Judge a request before the model is asked again: here ends a turn that no other hook can end."""
    over = agent_state(state, call, now).get("over")
    if over and now >= state.get("lifted_until", 0):
        return (*ended_turn(over), True)
    return judge_prompt(call, state, policy, now)


def judge_response(
    call: Call, state: SessionState, policy: Policy, now: float
) -> tuple[Verdict, int, bool]:
    """Judge a response that is still being written: cut it, or leave it alone."""
    context = Context(call, state, agent_state(state, call, now), NO_CALL, policy, now)
    if now < state.get("lifted_until", 0):
        return NO_OPINION, NOTHING, True
    found = max(map(loop.response, context.by_policy()), key=lambda verdict: verdict.level)
    return found, found.level, True


def judge_unseen(
    call: Call,
    state: SessionState,
    policy: Policy,
    now: float,
    lacks: frozenset[int] = NONE,
) -> tuple[Verdict, int]:
    """Judge calls that no hook announced (invalid arguments), after they have failed.

    They could not be denied one by one, so all that is left above a note is to end the turn.
    """
    agent = agent_state(state, call, now)
    found, level = NO_OPINION, NOTHING
    for record in agent["calls"]:
        if record[LEVEL] == UNSEEN:
            record[LEVEL] = NOTHING
            verdict, reached = most_severe(
                Context(call, state, agent, record, policy, now), lacks=lacks
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
    """Return the verdict that leads to the highest level, and that level.

    With `unsure`, skip the rules that a new prompt of a person would reset: one may just have come.
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
    """Ask every wire, under the user's limits and under those of the project's file."""
    for view in context.by_policy():
        yield from loop.verdicts(view)
        yield failure.rounds(view)
        yield continuation.laps(view)
        yield from spend.verdicts(view)
        yield from storm.verdicts(view)
    yield tamper.verdict(context)


def answerable(context: Context, verdict: Verdict, lacks: frozenset[int]) -> int:
    """Return the level to answer with: where nobody can be asked, deny instead.

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
    """Raise the level to STOP on the second distinct trip of an unattended run.

    Past a cap the second denial ends it: each more would cost a response. So does the first one of an
    agent that a tool has started beyond the limit. All LOOP rules about one call
    are one trip, and so is whatever TAMPER denies: an agent that looks for another way does not run
    away. `first`: this call was not asked about before.
    """
    if context.call.attended or level < DENY:
        return level
    subject = approvals.scope(verdict.rule, "" if verdict.rule == TAMPER else verdict.subject)
    denials, subjects = count_trip(context.state, subject, first)
    spent = verdict.rule.startswith("spend.") and denials > 1
    flood = verdict.rule.startswith("storm.subagents") and context.call.kind != SPAWN
    laps = verdict.rule == "continuation.laps"  # a denied call does not end them
    return STOP if spent or flood or laps or subjects > 1 else level


def remember_answer(context: Context, verdict: Verdict, level: int) -> None:
    """Record the answer. Denied calls are not counted as evidence; asked calls may be approved later."""
    context.record[LEVEL] = level
    if level == ASK:
        subject = approvals.scope(verdict.rule, verdict.subject, verdict.source)
        approvals.ask(context.state, context.record[ID], subject)
    if level >= DENY and verdict.rule == "failure.rounds":
        failure.remember_denial(context, verdict.source)
