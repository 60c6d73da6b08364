"""The log of trips, `<state>/trips.jsonl`: what `runaway status` and `why` tell."""

from __future__ import annotations

from .call import LEVELS
from .fastjson import dumps
from .system import append_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .call import Call, Verdict
    from .policy import Policy

MAX_LOG_BYTES = 1 << 24  # bytes; then the older half goes


def log(call: Call, verdict: Verdict, level: int, text: str, policy: Policy, now: float) -> None:
    """Append one line; OSError where it cannot be written."""
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
    if verdict.source:
        line["source"] = verdict.source
    append_line(policy.state + "/trips.jsonl", dumps(line) + "\n", MAX_LOG_BYTES)
