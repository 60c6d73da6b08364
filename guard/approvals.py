"""Approvals: what a person was asked about, and how far saying yes has raised the limits.

A scope is what one approval covers: one call under all LOOP rules, or else one rule. An approval beyond
a project's limit has a scope of its own, so it does not touch the user's limit.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import SessionState

PROJECT = "@project"  # ends the scope of an approval beyond a limit of the project's file


def scope(rule: str, subject: str, source: str = "") -> str:
    """Name what an approval covers; `source` is "" or the project's file the limit comes from."""
    own = f"{rule.partition('.')[0]}:{subject}" if subject else f"{rule}:"
    return own + PROJECT if source else own


def factor(granted: dict[str, int], rule: str, subject: str, source: str) -> int:
    """Return by how much approvals have multiplied a limit; the user's count for the project's too."""
    own = granted.get(scope(rule, subject), 1)
    return own * granted.get(scope(rule, subject, source), 1) if source else own


def ask(state: SessionState, call_id: str, subject: str) -> None:
    """Remember that a person is asked about this call, and for which scope."""
    state.setdefault("asked", {})[call_id] = subject


def is_asked(state: SessionState, call_id: str) -> bool:
    return call_id in state.get("asked", {})


def move(state: SessionState, old_id: str, new_id: str) -> None:
    """Keep an open question under the id by which its result will be known."""
    asked = state.get("asked", {})
    if old_id in asked:
        asked[new_id] = asked.pop(old_id)


def withdraw(state: SessionState, call_id: str) -> str:
    """Forget an open question and return its scope, "" if there was none."""
    return state.get("asked", {}).pop(call_id, "")


def grant(state: SessionState, subject: str) -> None:
    """Double the limits of a scope."""
    granted = state.setdefault("granted", {})
    granted[subject] = 2 * granted.get(subject, 1)


def keep_spending(state: SessionState) -> None:
    """Drop all approvals but those of money, which a new prompt does not clear."""
    granted = state.get("granted", {})
    state["granted"] = {name: times for name, times in granted.items() if name[:5] == "spend"}
