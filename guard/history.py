"""What a session's agents have done lately, in the state that the wires judge (see state.py)."""

from __future__ import annotations

from .approvals import keep_spending
from .call import DENY, EDIT, SHELL, SPAWN, WEB, digest
from .changes import may_change_files
from .fastjson import dumps
from .outcomes import NEVER_RAN
from .policy import AGENTS, HISTORY
from .system import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from .call import Call
    from .state import AgentState, CallRecord, SessionState

# Fields of a CallRecord.
KEY: Final = 0
STARTED: Final = 1
ID: Final = 2
OUTCOME: Final = 3
LEVEL: Final = 4
STREAK: Final = 5

EDITING, PERHAPS = "+", "?"  # begin the key of a call that changes files, or looks like it
UNSEEN = -1  # the level of a call that no hook has announced
MINUTE = 60.0
MARK = 8  # hex digits that stand for an agent
MAX_MET = 300  # agents that are told apart


def new_record(key: str, started: float, call_id: str, streak: int) -> CallRecord:
    return [key, started, call_id, "", 0, streak]  # type: ignore[return-value,list-item]


NO_CALL = new_record("", 0.0, "", 0)  # what a prompt is judged with


def key_of(tool: str, kind: str, arguments: object, cwd: str) -> str:
    """Return the identity of a call: of its tool and arguments, and for a shell of its folder."""
    try:
        key = digest(dumps([tool, arguments, cwd if kind == SHELL else ""]))
    except RecursionError:  # it could be read, but is nested too deep to be written
        key = digest(tool)
    if kind == EDIT:
        return EDITING + key
    return PERHAPS + key if kind == SHELL and may_change_files(arguments) else key


def agent_state(state: SessionState, call: Call, now: float) -> AgentState:
    """Note the call's session and return the state of the calling agent.

    A new prompt counts as a person's, unless the session has a log, which tells who wrote it.
    """
    state.setdefault("session", call.session)
    state.setdefault("harness", call.harness)
    state.setdefault("started", round(now, 1))
    state["cwd"] = call.cwd
    if call.transcript and not call.agent:
        state["transcript"] = call.transcript
    state["seen"] = round(now, 1)
    if call.prompt and call.prompt != state.get("prompt") and not _has_log(state):
        new_prompt(state, call.prompt)
    return agent_named(state, call.agent, now)


def begins_turn(state: SessionState, call: Call) -> bool:
    """Tell whether this is the first call for a prompt that the log does not tell of yet."""
    known = ("", state.get("turn"), state.get("prompt"), state.get("told"))
    state["turn"] = call.prompt or state.get("turn", "")
    return call.prompt not in known


def _has_log(state: SessionState) -> bool:
    return bool(state.get("logs", {}).get("files"))


def log_has_grown(state: SessionState, call: Call) -> bool:
    """Tell whether there is something new to read in the session's log.

    A subagent's transcript is a file of its own, so its calls always count as news.
    """
    known = state.get("logs", {}).get("files", {}).get("")
    try:
        about = stat(call.transcript)
    except (OSError, ValueError):
        return False
    if call.agent or not known or (about.st_size, about.st_ino) != (known[0], known[1]):
        return True
    return about.st_mtime >= known[3] - 0.01  # deleted and written anew: see transcripts/tail.py


def keep_log(state: SessionState, call: Call) -> bool:
    """Stay with the session's last log where a hook names one that does not exist, and tell so.

    Claude Code before 2.1.141 does that in a worktree. A new session has no log yet.
    """
    last = state.get("transcript", call.transcript)
    if call.transcript in ("", last) or _exists(call.transcript) or not _exists(last):
        return False
    call.transcript = last
    return True


def _exists(path: str) -> bool:
    try:
        return bool(stat(path))
    except (OSError, ValueError):
        return False


def log_prompt(state: SessionState, prompt: str, human: bool) -> None:
    """Take in a prompt that a log or a hook tells of; one that a person wrote clears the counts."""
    state["told"] = prompt or state.get("told", "")
    if not human:
        state["laps"] = state.get("laps", 0) + 1
    elif prompt != state.get("prompt"):
        new_prompt(state, prompt)


def name_first_prompt(state: SessionState, prompt: str) -> None:
    """Take in the session's first prompt where the calls that it caused are known already."""
    state["told"] = state["prompt"] = prompt


def new_prompt(state: SessionState, prompt: str) -> None:
    """Start loops, failures and storms anew, because a person spoke; money and its approvals stay."""
    state["prompt"] = prompt
    state["tripped"] = {}
    state["storm"] = {}
    state["laps"] = 0
    forget_agents(state)
    keep_spending(state)


def forget_agents(state: SessionState) -> None:
    """Forget all calls."""
    state["agents"] = {}


def agent_named(state: SessionState, name: str, now: float) -> AgentState:
    """Return the state of this agent; of more than AGENTS the longest quiet one is forgotten."""
    agents = state.setdefault("agents", {})
    agent = agents.setdefault(name, {"calls": [], "count": 0})
    agent["seen"] = now
    if len(agents) > AGENTS:
        del agents[min(agents, key=lambda other: agents[other]["seen"])]
    return agent


def find(agent: AgentState, call_id: str) -> CallRecord | None:
    """Return the record with this digest of a call id, however often a hook has asked about it."""
    for record in reversed(agent["calls"]):
        if call_id and record[ID] == call_id:
            return record
    return None


def record_call(state: SessionState, agent: AgentState, call: Call, now: float) -> CallRecord:
    """Count a call that is about to run."""
    key = key_of(call.tool, call.kind, call.arguments, call.cwd)
    record = add(agent, key, call.identity or _unseen_id(agent, key), now)
    if call.partial:
        record[STREAK] = 0
    agent["count"] += 1
    meet_agent(state, call.agent, now)
    if call.kind == SPAWN:
        _count_spawn(state, call, now)
    elif call.kind == WEB:
        storm = state.setdefault("storm", {})
        storm["web"] = storm.get("web", 0) + 1
    return record


def _unseen_id(agent: AgentState, key: str) -> str:
    """Return the id by which the log has told of this call, for hooks that are told none."""
    for call_id, unseen in agent.get("unseen", {}).items():
        if unseen == key and not find(agent, call_id):
            return call_id
    return ""


def add(agent: AgentState, key: str, call_id: str, now: float) -> CallRecord:
    """Append a record to the agent's calls, of which the last HISTORY are kept."""
    calls = agent["calls"]
    record = new_record(key, round(now, 1), call_id, _streak(calls, key))
    calls.append(record)
    del calls[:-HISTORY]
    return record


def add_unseen(agent: AgentState, call_id: str, key: str, most: int) -> None:
    """Remember a call that only the log has told of; the oldest beyond `most` are forgotten."""
    unseen = agent.setdefault("unseen", {})
    unseen[call_id] = key
    while len(unseen) > most:
        del unseen[next(iter(unseen))]


def _streak(calls: list[CallRecord], key: str) -> int:
    """Count equal calls in a row; a call that never ran does not interrupt a row of others."""
    for record in reversed(calls):
        if record[KEY] == key:
            return record[STREAK] + 1
        if record[LEVEL] < DENY and record[OUTCOME] != NEVER_RAN:
            break
    return 1


def _count_spawn(state: SessionState, call: Call, now: float) -> None:
    storm = state.setdefault("storm", {})
    storm["spawned"] = storm.get("spawned", 0) + 1
    storm["times"] = [time for time in storm.get("times", ()) if now - time < MINUTE] + [now]
    if call.agent:
        storm["nested"] = storm.get("nested", 0) + 1


def meet_agent(state: SessionState, name: str, now: float, started: bool = True) -> None:
    """Count an agent that was not met before, whatever started it; not if it is older than the guard."""
    met, mark = state.setdefault("met", ""), digest(name)[:MARK]
    if not name or mark in [met[at : at + MARK] for at in range(0, len(met), MARK)]:
        return
    state["met"] = (met + mark)[-MAX_MET * MARK :]
    if not started:
        return
    storm = state.setdefault("storm", {})
    storm["met"] = storm.get("met", 0) + 1
    storm["arrivals"] = [time for time in storm.get("arrivals", ()) if now - time < MINUTE] + [now]
    ranks = storm.setdefault("ranks", {})
    ranks[mark] = [storm["met"], len(storm["arrivals"])]
    while len(ranks) > MAX_MET:
        del ranks[next(iter(ranks))]


def rank_of(state: SessionState, name: str) -> tuple[int, int]:
    """Return the how-many-th agent since the prompt this is, and of the minute it came in; (0, 0) for
    one that was there before.
    """
    ranks = state.get("storm", {}).get("ranks", {})
    number, lately = ranks.get(digest(name)[:MARK], (0, 0)) if name else (0, 0)
    return number, lately


def count_trip(state: SessionState, subject: str, first: bool) -> tuple[int, int]:
    """Count a denial; return (denials of this subject, distinct subjects) since the last prompt.

    `first` is False where the same call is asked about again.
    """
    tripped = state.setdefault("tripped", {})
    tripped[subject] = tripped.get(subject, 0) + first
    return tripped[subject], len(tripped)
