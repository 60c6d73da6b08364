"""Book what a session has spent since its last tool call: no hook is run after a last response.

The guard reads a session's log at each of its calls, so the response that ends a turn is read by
whatever comes next: the session's next call, the status line, or a command that shows the money.
"""

from __future__ import annotations

from .call import Call
from .dialects import dialect_of
from .session import Session
from .spending import catch_up
from .system import stat
from .transcripts import READERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .policy import Policy
    from .state import SessionState


def has_grown(state: SessionState) -> bool:
    """Tell whether the session's log has changed since the guard's last look; errors if that had none."""
    if state["harness"] not in READERS:
        return False
    offset, inode, *_ = state["logs"]["files"][""]
    about = stat(state["transcript"])
    return (about.st_size, about.st_ino) != (offset, inode)


def book(folder: str, policy: Policy, state: SessionState, now: float) -> SessionState:
    """Read on in the log of the session that has this state, and return its state afterwards."""
    session = Session(folder, state["harness"], state["session"])
    try:
        if session.fault or session.state.get("session") != state["session"]:
            return state
        call = Call(
            state["harness"], state["session"], cwd=state["cwd"], transcript=state["transcript"]
        )
        catch_up(call, session.state, policy, dialect_of(state["harness"]), now)
        session.save()
        return session.state
    finally:
        session.close()
