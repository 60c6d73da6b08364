"""The guard's own memory and wires for one session, fed from a log instead of from hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...guard import evidence, history
from ...guard.call import SHELL, Call, Context, Verdict
from ...guard.dialects import DIALECTS, dialect_of
from ...guard.judge import verdicts
from ...guard.policy import Policy
from ...guard.spending import WINDOW, record_spending
from .days import Days
from .events import CallMade, Prompt, ResultSeen

if TYPE_CHECKING:
    from ...guard.state import SessionState, SpendState

NO_ACT = frozenset(("description", "timeout", "timeout_ms"))  # of a shell: not what is done


class Memory:
    """What the guard would know of a session at each of its calls, had it only observed."""

    def __init__(self, harness: str, session: str, policy: Policy, days: Days) -> None:
        self.harness = harness
        self.session = session
        self.policy = policy
        self.days = days
        self.open: dict[str, tuple[str, str]] = {}  # call id -> (agent, round), until its result
        self.spend: SpendState = {"total": 0.0, "prompt": 0.0, "last": 0.0, "recent": []}
        self.state: SessionState = {"spend": self.spend}

    def prompt(self, event: Prompt) -> None:
        history.new_prompt(self.state, event.id)
        self.spend["prompt"] = 0.0

    def call(self, agent: str, event: CallMade) -> tuple[Verdict, ...]:
        """What every wire thinks of this call."""
        call = self._call(agent, event)
        self.open[event.id] = agent, event.round
        mine = history.agent_state(self.state, call, event.time)
        record = history.record_call(self.state, mine, call, event.time)
        self._look_at_money(event)
        case = Context(call, self.state, mine, record, self.policy, event.time)
        return tuple(verdicts(case))

    def result(self, event: ResultSeen) -> None:
        """What became of a call; the result of an unknown one says nothing."""
        agent, round = self.open.pop(event.call_id, (None, ""))
        if agent is not None:
            evidence.apply_result(
                self.state, agent, event.time, event.call_id, event.outcome, event.digest, round
            )

    def spent(self, time: float, dollars: float) -> None:
        """More money than was known before."""
        self.spend["total"] += dollars
        self.spend["last"] = dollars
        record_spending(self.spend, time, dollars)
        self.days.book(time, self.state.get("cwd", ""), dollars)

    def _look_at_money(self, event: CallMade) -> None:
        recent = self.spend["recent"]
        self.spend["recent"] = [item for item in recent if event.time - item[0] < WINDOW]
        self.spend["day"] = self.days.totals(event.time, event.cwd)

    def _call(self, agent: str, event: CallMade) -> Call:
        return Call(
            self.harness,
            self.session,
            agent=agent,
            id=event.id,
            tool=event.tool,
            kind=event.kind,
            arguments=self._act(event),
            cwd=event.cwd,
            attended=True,
        )

    def _act(self, event: CallMade) -> Any:
        """The part of the arguments that changes what is done."""
        if self.harness in DIALECTS:
            return dialect_of(self.harness).act(event.tool, event.arguments)
        if event.kind != SHELL or not isinstance(event.arguments, dict):
            return event.arguments
        return {name: value for name, value in event.arguments.items() if name not in NO_ACT}
