"""STORM: agents that start agents, and endless web searches: the biggest bills come from these."""

from __future__ import annotations

from ..call import NOTE, SPAWN, WEB
from ..history import rank_of
from .ladder import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..call import Context, Verdict


def verdicts(context: Context) -> Iterator[Verdict]:
    """Judge the counts since the person's prompt, over all agents of the session.

    A tool that starts agents by the dozen is one call: so each agent is judged by its own number.
    """
    storm = context.state.get("storm", {})
    if context.call.kind == SPAWN:
        spawned = max(storm.get("spawned", 0), storm.get("met", 0))
        lately = max(len(storm.get("times", ())), len(storm.get("arrivals", ())))
        yield evaluate(context, "storm.subagents_per_prompt", spawned)
        yield evaluate(context, "storm.subagents_per_minute", lately)
        if context.call.agent:
            yield evaluate(context, "storm.nested_subagents", storm.get("nested", 0))
    else:
        number, lately = rank_of(context.state, context.call.agent)
        for rule, count in (("per_prompt", number), ("per_minute", lately)):
            verdict = evaluate(context, f"storm.subagents_{rule}", count)
            if verdict.level > NOTE or context.agent["count"] == 1:
                yield verdict
    if context.call.kind == WEB:
        yield evaluate(context, "storm.web_calls_per_prompt", storm.get("web", 0))
