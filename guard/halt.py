"""A person has said stop: nothing runs until they say start. `runaway stop` writes it into the policy."""

from __future__ import annotations

from .call import (
    BEFORE_CALL,
    DENY,
    NO_OPINION,
    NOTHING,
    ON_PROMPT,
    ON_USAGE,
    PERSON_STOP,
    STOP,
    Verdict,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .call import Call
    from .policy import Policy
    from .state import SessionState

EVERYTHING = ""


def is_halted(policy: Policy, call: Call) -> bool:
    """Tell whether everything is stopped, this harness, or this session with all its agents."""
    return any(
        one in (EVERYTHING, call.harness, scope(call.harness, call.session))
        for one in policy.stopped
    )


def scope(harness: str, session: str) -> str:
    """Name one session in the policy."""
    return f"{harness}:{session}"


def judge_halted(
    call: Call, state: SessionState, lacks: frozenset[int]
) -> tuple[Verdict, int, bool]:
    """Deny the call and end the turn where that can be, hold a prompt back; logged once per stop."""
    first, state["halted"] = not state.get("halted"), True
    if call.stage == ON_USAGE:
        return NO_OPINION, NOTHING, False
    can_end = call.stage != ON_PROMPT and not (call.stage == BEFORE_CALL and STOP in lacks)
    level = STOP if can_end else DENY
    return Verdict(level, PERSON_STOP, 1), level, first
