"""Apply what became of the calls (results, refusals, approvals, prompts) to the session's history.

Events come from the transcript or from a hook after the call; applying one twice changes nothing.
"""

from __future__ import annotations

from . import approvals, history
from .approvals import PROJECT
from .call import AGENT_ID, ASK, DENY, UNNAMED, digest
from .history import EDITING, ID, KEY, LEVEL, OUTCOME, PERHAPS, STARTED, STREAK, UNSEEN
from .outcomes import AGAIN, FAILURE, NEVER_RAN, REFUSAL, after_change
from .transcripts import CALL, KIND, NEUTRAL, NEW_ID, OK, PROMPT, REFUSED, RESULT, TIME
from .wires import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .state import AgentState, CallEvent, CallRecord, Event, PromptEvent, SessionState

ANNOUNCED = 20  # calls of the model that no hook has announced (yet)


def apply_event(state: SessionState, name: str, event: Event, dialect: ModuleType) -> None:
    """Apply one event of agent `name`; usage is counted by the accounts instead.

    Where hooks are not told which agent makes a call, all agents count as the main one.
    """
    if AGENT_ID in dialect.UNSUPPORTED:
        name = ""
    if event[KIND] == RESULT:
        _, time, call_id, outcome, text_digest, round, _ = event
        apply_result(state, name, time, call_id, outcome, text_digest, round)
    elif event[KIND] == CALL:
        _apply_call(state, name, event, dialect)
    elif event[KIND] == PROMPT:
        if _is_first_prompt(state, event):
            history.name_first_prompt(state, event[2])
        else:
            history.log_prompt(state, event[2], human=is_human(state, event))


def is_human(state: SessionState, event: PromptEvent) -> bool:
    """Tell whether a person wrote a prompt that has not been applied yet."""
    return event[2] != state.get("prompt") if event[3] == NEW_ID else bool(event[3])


def _is_first_prompt(state: SessionState, event: PromptEvent) -> bool:
    """Tell whether all known calls came after this prompt, although it is the session's first.

    Some logs are written late, so the first prompt can appear after the calls it caused.
    """
    if "prompt" in state or not event[3]:
        return False
    agents = state.get("agents", {}).values()
    return all(event[TIME] <= record[STARTED] for agent in agents for record in agent["calls"])


def _apply_call(state: SessionState, name: str, event: CallEvent, dialect: ModuleType) -> None:
    """Remember a call of the model; if no hook ever sees it (invalid arguments), its result counts."""
    _, time, call_id, tool, arguments, _, cwd = event
    agent = history.agent_named(state, name, time)
    identity = digest(call_id)
    if history.find(agent, identity):
        return
    kind = dialect.TOOL_KINDS.get(tool, "")
    arguments = dialect.identifying_arguments(tool, arguments)
    key = history.key_of(tool, kind, arguments, cwd or state.get("cwd", ""))
    if not _attach_id(state, agent, key, identity):
        history.add_unseen(agent, identity, key, ANNOUNCED)


def _attach_id(state: SessionState, agent: AgentState, key: str, call_id: str) -> bool:
    """Attach the transcript's call id to the oldest matching call that the hook reported without one."""
    for record in agent["calls"]:
        if record[KEY] == key and record[ID][:1] in ("", UNNAMED):
            if record[LEVEL] == ASK:
                approvals.move(state, record[ID], call_id)
            record[ID] = call_id
            return True
    return False


def apply_result(
    state: SessionState,
    name: str,
    time: float,
    call_id: str,
    outcome: str,
    text_digest: str,
    round: str,
) -> None:
    """Apply the end of a call; `round` is the id of the response that made it, "" if unknown.

    A refusal counts as a failure, equal whatever its reason says; of a call that we asked about it may be
    our own doing. What a harness tells of a call that we denied is our own reason.
    """
    agent = history.agent_named(state, name, time)
    record = _ended_call(state, agent, digest(call_id), time)
    if record is None or record[OUTCOME]:
        return
    ours = record[LEVEL] >= DENY or (outcome == REFUSED and record[LEVEL] == ASK)
    if outcome == NEUTRAL or ours:
        _never_ran(state, record)
        return
    failed = outcome != OK
    again = failed and failure.has_failed(agent, record[KEY], round)
    known = REFUSAL if outcome == REFUSED else FAILURE * failed + text_digest
    record[OUTCOME] = AGAIN if again else known
    if not failed and record[KEY][:1] in (EDITING, PERHAPS):
        _forget_likeness(state, record[KEY][:1] == EDITING)
    if record[LEVEL] == ASK:
        _approve(state, agent, record)
    failure.count_result(agent, record, failed, round, time)


def _forget_likeness(state: SessionState, sure: bool) -> None:
    """After a change of files, results from before it are the same only if they are exactly equal."""
    for agent in state["agents"].values():
        for record in agent["calls"]:
            record[OUTCOME] = after_change(record[OUTCOME], sure)


def _ended_call(
    state: SessionState, agent: AgentState, call_id: str, time: float
) -> CallRecord | None:
    """Return the record of a call that has ended; one that no hook announced gets its record now."""
    record = history.find(agent, call_id)
    if record is None and call_id in agent.get("unseen", {}):
        record = history.add(agent, agent["unseen"].pop(call_id), call_id, time)
        record[LEVEL] = ASK if approvals.is_asked(state, call_id) else UNSEEN
    return record


def _never_ran(state: SessionState, record: CallRecord) -> None:
    """Drop a call that a person refused or stopped from the counts; our own denials stay in."""
    record[OUTCOME] = NEVER_RAN
    approvals.withdraw(state, record[ID])
    if record[LEVEL] < DENY:
        record[STREAK] = max(0, record[STREAK] - 1)


def _approve(state: SessionState, agent: AgentState, record: CallRecord) -> None:
    """Double the limits of what was asked: the call ran, so the person said yes.

    The counts of that call start anew. Beyond a project's limit only that limit doubles: what the
    user's own limits count stays as it is.
    """
    subject = approvals.withdraw(state, record[ID])
    if subject:
        approvals.grant(state, subject)
        if subject.endswith(PROJECT):
            return
    for other in agent["calls"]:
        if other[KEY] == record[KEY]:
            other[STREAK], other[OUTCOME] = 0, NEVER_RAN
    failure.forget(agent)
