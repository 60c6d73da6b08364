"""One hook event from start to end: payload -> Call -> memory -> wires -> Verdict -> answer."""

from __future__ import annotations

import time

from .call import LEVELS, NOTHING, TOOL
from .fastjson import decode, dumps, loads
from .judge import judge
from .policy import load
from .session import Session
from .system import exit_now, read, stat, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .call import Call, Verdict
    from .policy import Policy

DIALECTS = ("claude",)
LARGEST_PAYLOAD = 1 << 26


def main(arguments: list[str], folder: str) -> None:
    """Answer the hook on stdin, once, and leave without teardown. Whatever fails, work goes on."""
    harness = arguments[0] if arguments else ""
    output = b""
    try:
        policy = load(folder)
        folder = policy.state
        output = reply(harness, read_all(0), policy, time.time())
    except Exception as error:
        from .health import note

        note(folder, harness, error)
    if output:
        write(1, output)
    exit_now(0)


def read_all(descriptor: int) -> bytes:
    chunks, size = [], 0
    while size < LARGEST_PAYLOAD:
        chunk = read(descriptor, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def reply(harness: str, payload: bytes, policy: Policy, now: float) -> bytes:
    """The bytes to print for this payload."""
    dialect = dialect_of(harness)
    call: Call = dialect.read(loads(decode(payload)), now)
    session = Session(policy.state, call.harness, call.session)
    verdict, level, first = consider(call, session.state, policy, dialect, now)
    session.save()
    session.close()
    if level == NOTHING:
        return bytes(dialect.NEUTRAL)
    from .words import explain

    text = explain(call, verdict, level)
    if first:
        log_trip(call, verdict, level, text, policy, now)
    return bytes(dialect.NEUTRAL if policy.silent(now) else dialect.answer(call, level, text))


def consider(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> tuple[Verdict, int, bool]:
    """Take in what happened since the last call, then judge this one."""
    if has_news(call, memory):
        from .spending import catch_up

        catch_up(call, memory, policy, dialect, now)
    if call.stage == TOOL:
        return judge(call, memory, policy, now)
    from .evidence import learn
    from .judge import judge_unseen

    for event in call.batch:
        learn(memory, call.agent, event, dialect)
    return (*judge_unseen(call, memory, policy, now), True)


def has_news(call: Call, memory: dict[str, Any]) -> bool:
    """Has the log of the session grown? For a subagent's calls that of the subagent counts."""
    known = memory.get("logs", {}).get("files", {}).get("")
    try:
        size = stat(call.transcript).st_size
    except (OSError, ValueError):
        return False
    return bool(call.agent or not known or size != known[0])


def dialect_of(harness: str) -> ModuleType:
    """Only the calling harness's module is loaded."""
    if harness not in DIALECTS:
        raise ValueError(f"unknown harness {harness!r}")
    package = __package__ + ".dialects"
    return __import__(package + "." + harness, fromlist=["read"])


def log_trip(
    call: Call, verdict: Verdict, level: int, text: str, policy: Policy, now: float
) -> None:
    """One line in `<state>/trips.jsonl`: what `runaway status` and `why` tell."""
    from .health import append

    line = {
        "time": round(now, 1),
        "harness": call.harness,
        "session": call.session,
        "agent": call.agent,
        "cwd": call.cwd,
        "tool": call.tool,
        "rule": verdict.rule,
        "count": verdict.count,
        "level": LEVELS[level],
        "answered": not policy.silent(now),
        "text": text,
    }
    append(policy.state + "/trips.jsonl", dumps(line) + "\n")
