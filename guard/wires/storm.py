"""STORM: agents that start agents, and endless web searches: the biggest bills come from these."""

from __future__ import annotations

from ..call import SPAWN, WEB
from .ladder import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Context, Verdict


def verdicts(context: Context) -> Iterator[Verdict]:
    """Judge the counts since the person's prompt, over all agents of the session."""
    storm = context.state.get("storm", {})
    if context.call.kind == SPAWN:
        yield evaluate(context, "storm.subagents_per_prompt", storm.get("spawned", 0))
        yield evaluate(context, "storm.subagents_per_minute", len(storm.get("times", ())))
        if context.call.agent:
            yield evaluate(context, "storm.nested_subagents", storm.get("nested", 0))
    elif context.call.kind == WEB:
        yield evaluate(context, "storm.web_calls_per_prompt", storm.get("web", 0))
