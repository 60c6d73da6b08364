"""Money as it comes out of the transcripts, taken into the memory of the session and the ledger.

memory["spend"] = {"total", "prompt", "last", "recent": [[time, dollars], ...], "unknown": model}
"""

from __future__ import annotations

from . import ledger
from .evidence import learn
from .prices import cost
from .transcripts import KIND, PROMPT, RESET, TIME, USAGE, accounts, family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .call import Call
    from .policy import Policy
    from .prices import Usage

WINDOW = 300.0  # seconds over which the velocity is taken


def catch_up(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> None:
    """Read what is new in the session's logs: results and prompts as well as money."""
    logs = memory.setdefault("logs", {})
    spend = memory.setdefault("spend", {"total": 0.0, "prompt": 0.0, "last": 0.0, "recent": []})

    def price(model: str, usage: Usage, when: float) -> float:
        dollars, known = cost(model, usage, when, policy.prices)
        if not known:
            spend["unknown"] = model
        return dollars

    reader = reader_of(call.harness)
    news = family.catch_up(reader, call.transcript, call.session, logs, now, price)
    before = logs.get("account", {}).get("inherited", 0.0)
    booked: dict[str, float] = {}
    for agent, event, dollars in news:
        if event[KIND] == RESET:
            _forget(memory)
        if event[KIND] == PROMPT and event[3]:
            spend["prompt"] = 0.0
        learn(memory, agent, event, dialect)
        if dollars > 0:
            _take(spend, event, dollars)
            day = ledger.day_of(event[TIME])
            booked[day] = booked.get(day, 0.0) + dollars
    spend["total"] = accounts.total(logs["account"])
    spend["recent"] = [item for item in spend["recent"] if now - item[0] < WINDOW]
    _book(call, policy, booked, logs["account"]["inherited"] - before)
    spend["day"] = ledger.totals(policy.state, now, call.cwd, logs.setdefault("ledger", {}))


def reader_of(harness: str) -> ModuleType:
    return __import__(f"{__package__}.transcripts.{harness}", fromlist=["events"])


def _take(spend: dict[str, Any], event: tuple[Any, ...], dollars: float) -> None:
    spend["prompt"] += dollars
    spend["recent"].append([round(event[TIME], 1), round(dollars, 6)])
    if event[KIND] == USAGE:
        spend["last"] = dollars


def _forget(memory: dict[str, Any]) -> None:
    memory["agents"] = {}
    memory["spend"].update(total=0.0, prompt=0.0, last=0.0, recent=[])


def _book(call: Call, policy: Policy, booked: dict[str, float], inherited: float) -> None:
    """One line per day of the steps; what a fork has copied was booked by the session it came from."""
    for day, dollars in booked.items():
        rest = dollars - min(inherited, dollars)
        inherited -= dollars - rest
        if rest > 0:
            ledger.book(policy.state, day, call.harness, call.session, call.cwd, rest)
