"""Money as it comes out of the transcripts, taken into the memory of the session and the ledger.

memory["spend"] = {"total", "prompt", "last", "recent": [[time, dollars], ...], "unknown": model}
memory["logs"]["days"] = {day: dollars of this session on it, but for what a fork has copied}
"""

from __future__ import annotations

from . import ledger
from .evidence import apply_event
from .transcripts import KIND, PROMPT, RESET, TIME, USAGE, accounts, session_files
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
DAYS = 31  # whose totals a session remembers


def catch_up(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> None:
    """Read what is new in the session's logs: results and prompts as well as money."""
    reader, logs = reader_of(call.harness), memory.setdefault("logs", {})
    price = _pricing(memory, policy)
    news = session_files.catch_up(reader, call.transcript, call.session, logs, now, price)
    _apply(call, memory, policy, dialect, now, news)


def apply_reported(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> None:
    """The same for what the hook itself tells, where the harness keeps no log of money."""
    account = memory.setdefault("logs", {}).setdefault("account", {})
    price = _pricing(memory, policy)
    accounts.load(account)
    news = ((call.agent, event, accounts.add(account, event, price)) for event in call.batch)
    _apply(call, memory, policy, dialect, now, news)
    accounts.dump(account)


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


def _apply(
    call: Call,
    memory: dict[str, Any],
    policy: Policy,
    dialect: ModuleType,
    now: float,
    news: Iterable[tuple[str, tuple[Any, ...], float]],
) -> None:
    logs, spend = memory["logs"], memory["spend"]
    earned: dict[str, float] = {}
    quarter, day = -1.0, ""
    for agent, event, dollars in news:
        if event[KIND] == RESET:
            _forget(memory)
            earned = {}
        if event[KIND] == PROMPT and event[3]:
            spend["prompt"] = 0.0
        apply_event(memory, agent, event, dialect)
        if dollars > 0:
            record_spending(spend, event[TIME], dollars)
            if event[KIND] == USAGE:
                spend["last"] = dollars
            if accounts.is_copied(logs["account"], event):
                continue
            if event[TIME] // QUARTER != quarter:
                quarter, day = event[TIME] // QUARTER, ledger.day_of(event[TIME])
            earned[day] = earned.get(day, 0.0) + dollars
    spend["total"] = accounts.total(logs["account"])
    spend["recent"] = _lately(spend["recent"], now)
    spend["day"] = _book(call, policy, logs, earned, now)


def reader_of(harness: str) -> ModuleType:
    return __import__(f"{__package__}.transcripts.{harness}", fromlist=["events"])


def record_spending(spend: dict[str, Any], when: float, dollars: float) -> None:
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
    """Another history than the one counted so far: all of it comes again, with its days."""
    memory["agents"] = {}
    memory["spend"].update(total=0.0, prompt=0.0, last=0.0, recent=[])
    for name in ("days", "booked", "again"):
        memory["logs"].pop(name, None)


def _book(
    call: Call, policy: Policy, logs: dict[str, Any], earned: dict[str, float], now: float
) -> tuple[float, float]:
    """Tell the ledger the totals of this session: of each day that earned something, and of today.

    Returns (dollars of today in this project, dollars of today on this machine).
    """
    days, today = logs.setdefault("days", {}), ledger.day_of(now)
    for name in (*sorted(earned.keys() - {today}), today):
        day = ledger.Day(policy.state, name)
        if name in earned:
            before = days[name] if name in days else _before_upgrade(call, logs, day)
            days[name] = before + earned[name]
        _tell(call, policy, day, days.get(name, 0.0))
    logs["days"] = {name: days[name] for name in sorted(days)[-DAYS:]}
    return day.project(call.cwd), day.machine


def _before_upgrade(call: Call, logs: dict[str, Any], day: ledger.Day) -> float:
    """Release 0.1 remembered in `booked` what it had told the ledger, of all days together.

    `again` is what it would have passed over, in a log that it began to read once more.
    """
    if "booked" not in logs:
        return 0.0
    passed_over: float = logs.get("again", 0.0)
    return max(0.0, day.stepped(call.harness, call.session) - passed_over)


def _tell(call: Call, policy: Policy, day: ledger.Day, total: float) -> None:
    """A ledger that cannot be written must not hide what the session itself has cost."""
    try:
        day.book(call.harness, call.session, call.cwd, total)
    except OSError as error:
        from .health import note

        note(policy.folders, call.harness, error)
