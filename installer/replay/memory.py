"""The guard's own memory and wires for one session, fed from a log instead of from hooks."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from ...guard import evidence, history, transcripts
from ...guard.call import AGENT_ID, DENY, STOP, Call, Context, Verdict
from ...guard.judge import answerable, verdicts
from ...guard.policy import Policy
from ...guard.spending import WINDOW, lately, pricing, record_spending
from ...guard.transcripts import accounts
from .days import Days
from .events import CallMade, Prompt, Response, ResultSeen, Total
from .words import words_of

if TYPE_CHECKING:
    from ...guard.state import Account, SessionState, SpendState


class Memory:
    """What the guard would know of a session at each of its calls, had it only observed."""

    def __init__(self, harness: str, session: str, policy: Policy, days: Days) -> None:
        self.harness = harness
        self.session = session
        self.policy = policy
        self.days = days
        self.words = words_of(harness)
        self.state: SessionState = {}
        if harness in transcripts.READERS:
            self.state["logs"] = {"files": {"": (0, 0, "", 0, {})}}  # a log is read
        self.has_spent = False  # since the last call
        self.price = pricing(self.state, policy)
        self.account: Account = {}
        accounts.load(self.account)

    @property
    def spend(self) -> SpendState:
        return self.state["spend"]

    def prompt(self, event: Prompt) -> None:
        """Anybody's; one of a person starts counts anew."""
        if event.human:
            self.spend["prompt"] = 0.0
        self._learn("", (transcripts.PROMPT, event.time, event.id, event.human))

    def call(self, agent: str, event: CallMade) -> tuple[tuple[Verdict, int], ...]:
        """The verdicts that object to this call, and what a person who attends would be answered."""
        call = self._call(self._named(agent), event)
        if event.announced:
            self.announced(agent, event)
        mine = history.agent_state(self.state, call, event.time)
        record = history.record_call(self.state, mine, call, event.time)
        self._forget_old_money(event.time)
        self.spend["day"] = self.days.totals(event.time, event.cwd)
        self.spend["day_noted"] = self.days.noted(event.time, event.cwd)
        context = Context(call, self.state, mine, record, self.policy, event.time)
        found = tuple(
            (verdict, self._level(context, verdict))
            for verdict in verdicts(context)
            if verdict.level
        )
        self.days.note(event.time, event.cwd, self.spend["day_noted"][0])
        return found

    def announced(self, agent: str, event: CallMade) -> None:
        """The log tells of a call, of which a hook may be asked next: not where it is a copy."""
        told = (event.time, event.id, event.tool, event.arguments, event.round, event.cwd)
        self._learn(agent, (transcripts.CALL, *told))

    def result(self, agent: str, event: ResultSeen) -> None:
        told = (event.time, event.call_id, event.outcome, event.digest, event.round)
        self._learn(agent, (transcripts.RESULT, *told, False))

    def spent(self, event: Response | Total, *, again: bool = False) -> float:
        """Dollars by which the session's total grows; `again`: no money of the day (it is a copy)."""
        told: tuple[Any, ...] = (transcripts.REPORTED_TOTAL, *event)
        if isinstance(event, Response):
            time, id, model, usage, inherited = event
            told = (transcripts.USAGE, time, id, model, usage, again or inherited)
        dollars = accounts.add(self.account, told, self.price)
        if dollars > 0:
            self.spend["total"] = accounts.total(self.account)
            record_spending(self.spend, event.time, dollars)
            self.has_spent = True
            if isinstance(event, Response):
                self.spend["last"] = dollars
            if accounts.is_copied(self.account, told):
                return 0.0
            self.days.book(event.time, self.state.get("cwd", ""), dollars)
        return dollars

    def unknown(self) -> str | None:
        """The model without a price that was met since the last look."""
        model: str | None = self.spend.pop("unknown", None)
        return model

    def _forget_old_money(self, now: float) -> None:
        recent = self.spend["recent"]
        if self.has_spent or (recent and now - recent[0][0] >= WINDOW):
            self.spend["recent"] = lately(recent, now)
            self.has_spent = False

    def _level(self, context: Context, verdict: Verdict) -> int:
        level = answerable(context, verdict, self.words.UNSUPPORTED)
        return min(level, DENY) if STOP in self.words.UNSUPPORTED else level

    def _learn(self, agent: str, event: tuple[Any, ...]) -> None:
        evidence.apply_event(self.state, agent, event, cast(ModuleType, self.words))

    def _named(self, agent: str) -> str:
        """Where hooks are not told who calls, all calls are the main agent's."""
        return "" if AGENT_ID in self.words.UNSUPPORTED else agent

    def _call(self, agent: str, event: CallMade) -> Call:
        arguments = self.words.identifying_arguments(event.tool, event.arguments)
        return Call(
            self.harness,
            self.session,
            agent=agent,
            id=event.id,
            tool=event.tool,
            kind=event.kind,
            arguments=arguments,
            cwd=event.cwd,
            attended=True,
        )
