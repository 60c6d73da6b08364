"""What a session has done lately: the small memory, stored as JSON, that the wires judge.

    memory = {"prompt": id, "agents": {name: agent}, "tripped": [...], "granted": {...}, "storm": {...}}
    agent  = {"calls": [record, ...], "count": calls since the prompt, "failing": [...], "unseen": {...},
              "over": [rule, count] where its turn should have ended}
    record = [key, time, id, result, level, row]

`key` is the identity of a call, `id` a digest of the harness's call id, `result` "" while unknown,
"-" for a call that never ran, else a digest that starts with "!" for a failure; `level` is what the
guard answered, `row` the how-many-th equal call in a row this is.
"""

from __future__ import annotations

from .call import DENY, SHELL, SPAWN, WEB, digest
from .fastjson import dumps
from .policy import AGENTS, HISTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .call import Call

    Record = list[Any]
    Agent = dict[str, Any]
    Memory = dict[str, Any]

KEY, STARTED, ID, OUTCOME, LEVEL, STREAK = range(6)
NEVER_RAN = "-"
UNSEEN = -1  # the level of a call that no hook has announced
MINUTE = 60.0


def key_of(tool: str, kind: str, arguments: Any, cwd: str) -> str:
    """Identity of a call: tool and arguments, and for a shell the folder it runs in."""
    try:
        return digest(dumps([tool, arguments, cwd if kind == SHELL else ""]))
    except RecursionError:  # it could be read, but is nested too deep to be written
        return digest(tool)


def agent_state(memory: Memory, call: Call, now: float) -> Agent:
    """The memory of the calling agent. A new prompt counts as a person's until a log tells better."""
    memory.setdefault("session", call.session)
    memory.setdefault("harness", call.harness)
    memory.setdefault("started", round(now, 1))
    memory["cwd"] = call.cwd
    if call.transcript and not call.agent:
        memory["transcript"] = call.transcript
    memory["seen"] = round(now, 1)
    if call.prompt and call.prompt != memory.get("prompt") and not _has_log(memory):
        new_prompt(memory, call.prompt)
    return agent_named(memory, call.agent, now)


def begins_turn(memory: Memory, call: Call) -> bool:
    """Is this the first call for a prompt of which the log does not tell yet who wrote it?"""
    known = ("", memory.get("turn"), memory.get("prompt"), memory.get("told"))
    memory["turn"] = call.prompt or memory.get("turn")
    return call.prompt not in known


def _has_log(memory: Memory) -> bool:
    return bool(memory.get("logs", {}).get("files"))


def new_prompt(memory: Memory, prompt: str) -> None:
    """A person spoke: loops, failures and storms start anew; money and its approvals do not."""
    memory["prompt"] = prompt
    memory["agents"] = {}
    memory["tripped"] = {}
    memory["storm"] = {}
    granted = memory.get("granted", {})
    memory["granted"] = {what: factor for what, factor in granted.items() if what[:5] == "spend"}


def agent_named(memory: Memory, name: str, now: float) -> Agent:
    agents = memory.setdefault("agents", {})
    agent: Agent = agents.setdefault(name, {"calls": [], "count": 0})
    agent["seen"] = now
    if len(agents) > AGENTS:
        del agents[min(agents, key=lambda other: agents[other]["seen"])]
    return agent


def find(agent: Agent, identity: str) -> Record | None:
    """The record with this digest of a call id: a call is counted once however often it is asked."""
    for record in reversed(agent["calls"]):
        if identity and record[ID] == identity:
            return record  # type: ignore[no-any-return]
    return None


def record_call(memory: Memory, agent: Agent, call: Call, now: float) -> Record:
    """Count a call that is about to run."""
    key = key_of(call.tool, call.kind, call.arguments, call.cwd)
    record = add(agent, key, call.identity or _unseen_id(agent, key), now)
    if call.partial:
        record[STREAK] = 0
    agent["count"] += 1
    if call.kind == SPAWN:
        _count_spawn(memory.setdefault("storm", {}), call, now)
    elif call.kind == WEB:
        storm = memory.setdefault("storm", {})
        storm["web"] = storm.get("web", 0) + 1
    return record


def _unseen_id(agent: Agent, key: str) -> str:
    """A hook that does not name its call: the log may have told of it before, by its id."""
    for identity, announced in agent.get("unseen", {}).items():
        if announced == key and not find(agent, identity):
            return str(identity)
    return ""


def add(agent: Agent, key: str, identity: str, now: float) -> Record:
    calls = agent["calls"]
    record = [key, round(now, 1), identity, "", 0, _streak(calls, key)]
    calls.append(record)
    del calls[:-HISTORY]
    return record


def _streak(calls: list[Record], key: str) -> int:
    """A call that never ran, denied by us or refused by others, does not end a row of other calls."""
    for record in reversed(calls):
        if record[KEY] == key:
            return int(record[STREAK]) + 1
        if record[LEVEL] < DENY and record[OUTCOME] != NEVER_RAN:
            break
    return 1


def _count_spawn(storm: dict[str, Any], call: Call, now: float) -> None:
    storm["spawned"] = storm.get("spawned", 0) + 1
    storm["times"] = [time for time in storm.get("times", ()) if now - time < MINUTE] + [now]
    if call.agent:
        storm["nested"] = storm.get("nested", 0) + 1
