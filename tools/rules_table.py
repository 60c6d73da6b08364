"""Print the table of rules for docs/how-it-decides.md: python -m tools.rules_table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runaway.guard.policy import DEFAULTS, SLOW_REPEATS

if TYPE_CHECKING:
    from runaway.guard.policy import Limits

STEPS = ("note", "ask", "deny", "stop")


def table() -> str:
    """Rules in the order of the guard's own table; a dash is a step that the rule does not have."""
    rows = [("rule", *STEPS), ("---", *("---:" for _ in STEPS))]
    for rule, limits in {**DEFAULTS, "(slow repeats)": SLOW_REPEATS}.items():
        rows.append((f"`{rule}`", *_shown(limits)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _shown(limits: Limits) -> tuple[str, ...]:
    return tuple("–" if limit is None else f"{limit:g}" for limit in limits)


if __name__ == "__main__":
    print(table(), end="")
