"""What became of the calls: results, refusals, approvals and prompts, taken into the history.

Evidence comes from the transcript or from a hook after the call; taking it twice changes nothing.
"""

from __future__ import annotations

from .call import ASK, DENY, PROJECT, UNNAMED, WHO, digest
from .history import (
    ID,
    KEY,
    LEVEL,
    NEVER_RAN,
    OUTCOME,
    STARTED,
    STREAK,
    UNSEEN,
    add,
    agent_named,
    find,
    key_of,
    new_prompt,
)
from .transcripts import CALL, FAILED, KIND, NEUTRAL, PROMPT, RESULT, TIME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .history import Agent, Memory, Record

ANNOUNCED = 20  # calls of the model that no hook has announced (yet)


def apply_event(memory: Memory, name: str, event: tuple[Any, ...], dialect: ModuleType) -> None:
    """Take one event of agent `name` in; usage is the business of the accounts.

    Where hooks are not told which agent makes a call, all agents count as the main one.
    """
    if WHO in dialect.LACKS:
        name = ""
    if event[KIND] == RESULT:
        apply_result(memory, name, *event[1:6])
    elif event[KIND] == CALL:
        _apply_call(memory, name, event, dialect)
    elif event[KIND] == PROMPT:
        memory["told"] = event[2]
        if _is_first_prompt(memory, event):
            memory["prompt"] = event[2]
        elif event[3] and event[2] != memory.get("prompt"):
            new_prompt(memory, event[2])


def _is_first_prompt(memory: Memory, event: tuple[Any, ...]) -> bool:
    """A log that is written late tells of a session's first prompt after its first calls."""
    if "prompt" in memory or not event[3]:
        return False
    agents = memory.get("agents", {}).values()
    return all(event[TIME] <= record[STARTED] for agent in agents for record in agent["calls"])


def _apply_call(memory: Memory, name: str, event: tuple[Any, ...], dialect: ModuleType) -> None:
    """The model made a call. Should no hook ever see it (invalid arguments), its result will tell."""
    _, time, call_id, tool, arguments, _, cwd = event
    agent = agent_named(memory, name, time)
    identity = digest(call_id)
    if find(agent, identity):
        return
    kind = dialect.KINDS.get(tool, "")
    key = key_of(tool, kind, dialect.act(tool, arguments), cwd or memory.get("cwd", ""))
    if _attach_id(memory, agent, key, identity):
        return
    unseen = agent.setdefault("unseen", {})
    unseen[identity] = key
    while len(unseen) > ANNOUNCED:
        del unseen[next(iter(unseen))]


def _attach_id(memory: Memory, agent: Agent, key: str, identity: str) -> bool:
    """Give the oldest such call whose hook was told no id the one that the log has."""
    for record in agent["calls"]:
        if record[KEY] == key and record[ID][:1] in ("", UNNAMED):
            asked = memory.get("asked", {})
            if record[LEVEL] == ASK and record[ID] in asked:
                asked[identity] = asked.pop(record[ID])
            record[ID] = identity
            return True
    return False


def apply_result(
    memory: Memory, name: str, time: float, call_id: str, outcome: str, what: str, round: str
) -> None:
    """A call has ended: `what` is the digest of its result, `round` the response it belongs to."""
    agent = agent_named(memory, name, time)
    identity = digest(call_id)
    record = find(agent, identity)
    if record is None and identity in agent.get("unseen", {}):
        record = add(agent, agent["unseen"].pop(identity), identity, time)
        record[LEVEL] = ASK if identity in memory.get("asked", {}) else UNSEEN
    if record is None or record[OUTCOME]:
        return
    if outcome == NEUTRAL:
        _never_ran(memory, record)
        return
    record[OUTCOME] = ("!" if outcome == FAILED else "") + what
    if record[LEVEL] == ASK:
        _approve(memory, agent, record)
    _count_failure(agent, outcome == FAILED, round or _round_of(agent, record, time))


def _round_of(agent: Agent, record: Record, time: float) -> str:
    """Where no response is named: what was under way when the last failure came is of its round."""
    last = str(agent.get("failing", (0, ""))[1])
    if last[:1] == "@" and record[STARTED] < float(last[1:]):
        return last
    return f"@{time}"


def _never_ran(memory: Memory, record: Record) -> None:
    """Refused by a person or by another hook: no evidence. Our own denials go on counting."""
    record[OUTCOME] = NEVER_RAN
    memory.get("asked", {}).pop(record[ID], None)
    if record[LEVEL] < DENY:
        record[STREAK] = max(0, record[STREAK] - 1)


def _approve(memory: Memory, agent: Agent, record: Record) -> None:
    """It ran although we asked: the person said yes. That subject starts anew with twice the limit.

    Beyond a project's limit only that limit doubles: what the user's own count stays as it is.
    """
    granted = memory.setdefault("granted", {})
    subject = memory.get("asked", {}).pop(record[ID], None)
    if subject:
        granted[subject] = 2 * granted.get(subject, 1)
        if subject.endswith(PROJECT):
            return
    for other in agent["calls"]:
        if other[KEY] == record[KEY]:
            other[STREAK], other[OUTCOME] = 0, NEVER_RAN
    agent["failing"] = [0, "", "", 0]


def _count_failure(agent: Agent, failed: bool, round: str) -> None:
    """Failing rounds in a row; the parallel calls of one response are one round."""
    count, last, *_ = agent.get("failing", (0, ""))
    if not failed:
        agent["failing"] = [0, "", "", 0]
    elif round != last:
        agent["failing"] = [count + 1, round, "", 0]
