"""STORM: agents that start agents, and endless web searches: the biggest bills come from these."""

from __future__ import annotations

from ..call import SPAWN, WEB
from .ladder import climb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Case, Verdict


def verdicts(case: Case) -> Iterator[Verdict]:
    """Counts since the person's prompt, over all agents of the session."""
    storm = case.memory.get("storm", {})
    if case.call.kind == SPAWN:
        yield climb(case, "storm.subagents_per_prompt", storm.get("spawned", 0))
        yield climb(case, "storm.subagents_per_minute", len(storm.get("times", ())))
        if case.call.agent:
            yield climb(case, "storm.nested_subagents", storm.get("nested", 0))
    elif case.call.kind == WEB:
        yield climb(case, "storm.web_calls_per_prompt", storm.get("web", 0))
