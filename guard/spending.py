"""Money as it comes out of the transcripts, taken into the memory of the session and the ledger.

memory["spend"] = {"total", "prompt", "last", "recent": [[time, dollars], ...], "unknown": model}
"""

from __future__ import annotations

from . import ledger
from .evidence import learn
from .transcripts import KIND, PROMPT, RESET, TIME, USAGE, accounts, family
from .usage import SYNTHETIC
from .usage import price as price_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any

    from .call import Call
    from .policy import Policy
    from .transcripts.accounts import Price
    from .usage import Row, Usage

WINDOW = 300.0  # seconds over which the velocity is taken
QUARTER = 900.0  # seconds: no day, in whatever time zone, begins within one
MODELS = 8  # rows of the price table kept
STEP = 5.0  # seconds: how fine


def catch_up(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> None:
    """Read what is new in the session's logs: results and prompts as well as money."""
    reader, logs = reader_of(call.harness), memory.setdefault("logs", {})
    price = _pricing(memory, policy)
    news = family.catch_up(reader, call.transcript, call.session, logs, now, price)
    _take_in(call, memory, policy, dialect, now, news)


def told(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> None:
    """The same for what the hook itself tells, where the harness keeps no log of money."""
    account = memory.setdefault("logs", {}).setdefault("account", {})
    price = _pricing(memory, policy)
    accounts.unpack(account)
    news = ((call.agent, event, accounts.add(account, event, price)) for event in call.batch)
    _take_in(call, memory, policy, dialect, now, news)
    accounts.pack(account)


def _pricing(memory: dict[str, Any], policy: Policy) -> Price:
    spend = memory.setdefault("spend", {"total": 0.0, "prompt": 0.0, "last": 0.0, "recent": []})
    rows = spend.setdefault("rows", {})

    def price(model: str, usage: Usage, when: float) -> float:
        if model == SYNTHETIC:
            return 0.0
        if usage.dollars is not None and not _has_own_price(model, policy):
            return usage.dollars
        row, day = rows.get(model, (None, 0.0))
        if row is None or day != when // 86400 or policy.prices:
            row = _row(model, when, policy, spend)
            if len(rows) >= MODELS:
                rows.clear()
            rows[model] = [row, when // 86400]
        return price_of(row, usage)

    return price


def _has_own_price(model: str, policy: Policy) -> bool:
    """The user's own price outranks what the harness has reckoned."""
    if not policy.prices:
        return False
    from .prices import key, lookup

    return lookup(key(model), policy.prices) is not None


def _row(model: str, when: float, policy: Policy, spend: dict[str, Any]) -> Row:
    """Finding a price takes longer than reckoning with it, so the session keeps it for the day."""
    from .prices import find

    row, known = find(model, when, policy.prices)
    if not known:
        spend["unknown"] = model
    return row


def _take_in(
    call: Call,
    memory: dict[str, Any],
    policy: Policy,
    dialect: ModuleType,
    now: float,
    news: Iterable[tuple[str, tuple[Any, ...], float]],
) -> None:
    logs, spend = memory["logs"], memory["spend"]
    before = logs.get("account", {}).get("inherited", 0.0)
    booked: dict[str, float] = {}
    quarter, day = -1.0, ""
    for agent, event, dollars in news:
        if event[KIND] == RESET:
            _forget(memory)
            logs["again"] = logs.get("booked", 0.0)
        if event[KIND] == PROMPT and event[3]:
            spend["prompt"] = 0.0
        learn(memory, agent, event, dialect)
        if dollars > 0:
            take(spend, event[TIME], dollars)
            if event[KIND] == USAGE:
                spend["last"] = dollars
            if event[TIME] // QUARTER != quarter:
                quarter, day = event[TIME] // QUARTER, ledger.day_of(event[TIME])
            booked[day] = booked.get(day, 0.0) + dollars
    spend["total"] = accounts.total(logs["account"])
    spend["recent"] = _lately(spend["recent"], now)
    _book(call, policy, booked, logs, logs["account"]["inherited"] - before)
    spend["day"] = ledger.totals(policy.state, now, call.cwd, logs.setdefault("ledger", {}))


def reader_of(harness: str) -> ModuleType:
    return __import__(f"{__package__}.transcripts.{harness}", fromlist=["events"])


def take(spend: dict[str, Any], when: float, dollars: float) -> None:
    """One step of spending."""
    spend["prompt"] += dollars
    spend["recent"].append([round(when, 1), round(dollars, 6)])


def _lately(recent: list[list[float]], now: float) -> list[list[float]]:
    """One sum for every few seconds: hundreds of agents at once must still fit into the state."""
    steps: dict[float, float] = {}
    for when, dollars in recent:
        if now - when < WINDOW:
            start = when // STEP * STEP
            steps[start] = steps.get(start, 0.0) + dollars
    return [[start, round(dollars, 6)] for start, dollars in steps.items()]


def _forget(memory: dict[str, Any]) -> None:
    memory["agents"] = {}
    memory["spend"].update(total=0.0, prompt=0.0, last=0.0, recent=[])


def _book(
    call: Call, policy: Policy, booked: dict[str, float], logs: dict[str, Any], inherited: float
) -> None:
    """One line per day of the steps, but for what was booked before: by the session that this one was
    forked off (inherited), or by this one before its log was read again."""
    known = inherited + logs.get("again", 0.0)
    for day, dollars in booked.items():
        passed = min(known, dollars)
        known -= passed
        if dollars > passed:
            logs["booked"] = logs.get("booked", 0.0) + dollars - passed
            ledger.book(policy.state, day, call.harness, call.session, call.cwd, dollars - passed)
    logs["again"] = known
