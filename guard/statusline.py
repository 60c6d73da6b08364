"""Word one line for Claude Code's status line: what the session has cost, and what the guard does.

Started like the hook, through the launcher: `launch statusline`, the harness's JSON on stdin.
"""

from __future__ import annotations

from .fastjson import decode, loads
from .last_response import book, has_grown
from .session import file_name, peek

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .policy import Policy
    from .state import SessionState

HARNESS = "claude"  # the only one that has a status line of this kind


def line(payload: bytes, policy: Policy, now: float) -> bytes:
    """Return the guard's state in one line, `runaway: $1.23 of $20 this session, $4.50 today`."""
    state = _stored(policy.state, str(loads(decode(payload)).get("session_id", "")))
    try:
        state = book(policy.state, policy, state, now) if has_grown(state) else state
    except Exception:  # what cannot be read now waits for the next look
        pass
    try:
        return _line(state, policy, now)
    except (TypeError, ValueError, LookupError, AttributeError):  # parts of wrong types
        return _line({}, policy, now)


def _line(state: SessionState, policy: Policy, now: float) -> bytes:
    parts = [part for part in (_mode(state, policy, now), *_money(state, policy)) if part]
    text = "runaway: " + ", ".join(parts)
    return "".join(letter if letter.isprintable() else "?" for letter in text).encode() + b"\n"


def _stored(folder: str, session: str) -> SessionState:
    try:
        return peek(folder + "/sessions/" + file_name(HARNESS, session))  # type: ignore[return-value]
    except (OSError, ValueError, RecursionError):  # no call has been made yet, or damaged
        return {}


def _mode(state: SessionState, policy: Policy, now: float) -> str:
    if policy.observe:
        return "observing"
    until = max(policy.paused_until, state.get("lifted_until", 0))
    if now < until:
        return f"paused for {int((until - now) // 60) + 1} min"
    over = state.get("agents", {}).get("", {}).get("over")
    return f"stopped by {over[0]}" if over else "on guard"


def _money(state: SessionState, policy: Policy) -> list[str]:
    spend = state.get("spend")
    if not spend:
        return []
    cap = policy.session_cap + state.get("extra", 0) if policy.session_cap else 0
    machine = spend.get("day", (0, 0))[1]
    return [
        _dollars(spend["total"], cap) + " this session",
        _dollars(machine, policy.day_cap) + " today",
    ]


def _dollars(amount: float, cap: float) -> str:
    return f"${amount:.2f} of ${cap:g}" if cap else f"${amount:.2f}"
