"""Apply the money that transcripts and hooks report to the session's state and to the ledger.

What a fork has copied from its parent counts for the session, but not for the ledger.
"""

from __future__ import annotations

from . import ledger
from .evidence import apply_event, is_human
from .history import forget_agents, meet_agent
from .transcripts import KIND, PROMPT, RESET, TIME, USAGE, accounts, session_files
from .usage import SYNTHETIC
from .usage import price as price_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from .call import Call
    from .policy import Policy
    from .state import Event, LogState, SessionState, SpendState
    from .transcripts.accounts import Price
    from .usage import Row, Usage

WINDOW = 300.0  # seconds over which the velocity is taken
QUARTER = 900.0  # seconds: no day, in whatever time zone, begins within one
MODELS = 8  # rows of the price table kept
STEP = 5.0  # seconds: how fine
DAYS = 31  # whose totals a session remembers


def catch_up(
    call: Call, state: SessionState, policy: Policy, dialect: ModuleType, now: float
) -> None:
    """Apply what is new in the session's logs: results and prompts as well as money."""
    reader, logs = reader_of(call.harness), state.setdefault("logs", {})
    known, price = logs.get("files"), pricing(state, policy)
    before = list(known or ())
    news = session_files.catch_up(reader, call.transcript, call.session, logs, now, price)
    _apply(call, state, policy, dialect, now, news)
    for agent in [name for name in logs["files"] if name not in before]:
        meet_agent(state, agent, now, started=known is not None)


def apply_reported(
    call: Call, state: SessionState, policy: Policy, dialect: ModuleType, now: float
) -> None:
    """Apply what the hook itself reports, where the harness keeps no log of money."""
    account = state.setdefault("logs", {}).setdefault("account", {})
    price = pricing(state, policy)
    accounts.load(account)
    news = ((call.agent, event, accounts.add(account, event, price)) for event in call.batch)
    _apply(call, state, policy, dialect, now, news)
    accounts.dump(account)


def pricing(state: SessionState, policy: Policy) -> Price:
    """Return the function that prices a response; rows that it finds are kept for the day."""
    spend = state.setdefault("spend", {"total": 0.0, "prompt": 0.0, "last": 0.0, "recent": []})
    rows = spend.setdefault("rows", {})

    def price(model: str, usage: Usage, when: float) -> float:
        if model == SYNTHETIC:
            return 0.0
        if usage.dollars is not None and not _has_own_price(model, policy):
            return usage.dollars
        if usage.parts:
            return sum(price(part or model, used, when) for part, used in usage.parts)
        name = f"{model} {usage.replied}" if usage.replied else model
        row, day = rows.get(name, (None, 0.0))
        if row is None or day != when // 86400 or policy.prices:
            row = _row(model, usage.replied, when, policy, spend)
            if len(rows) >= MODELS:
                rows.clear()
            rows[name] = (row, when // 86400)
        return price_of(row, usage)

    return price


def _has_own_price(model: str, policy: Policy) -> bool:
    """Tell whether the user has a price of their own, which outranks what the harness has computed."""
    if not policy.prices:
        return False
    from .prices import key, lookup

    return lookup(key(model), policy.prices) is not None


def _row(model: str, replied: str, when: float, policy: Policy, spend: SpendState) -> Row:
    """Find the price row of a model. That takes longer than the arithmetic, so callers keep the row."""
    from .prices import find_billed

    row, known = find_billed(model, replied, when, policy.prices)
    if not known:
        spend["unknown"] = model
    return row


def _apply(
    call: Call,
    state: SessionState,
    policy: Policy,
    dialect: ModuleType,
    now: float,
    news: Iterable[tuple[str, Event, float]],
) -> None:
    """Apply (agent, event, dollars by which it raises the session's total), oldest first."""
    logs, spend = state["logs"], state["spend"]
    spent: dict[str, float] = {}
    quarter, day = -1.0, ""
    for agent, event, dollars in news:
        if event[KIND] == RESET:
            forget_agents(state)
        if event[KIND] == PROMPT and is_human(state, event):
            spend["prompt"] = 0.0
        apply_event(state, agent, event, dialect)
        if dollars > 0:
            record_spending(spend, event[TIME], dollars)
            if event[KIND] == USAGE:
                spend["last"] = dollars
            if accounts.is_copied(logs["account"], event):
                continue
            if event[TIME] // QUARTER != quarter:
                quarter, day = event[TIME] // QUARTER, ledger.day_of(event[TIME])
            spent[day] = spent.get(day, 0.0) + dollars
    spend["total"] = accounts.total(logs["account"])
    spend["recent"] = lately(spend["recent"], now)
    spend["day"] = _book(call, policy, logs, spend, spent, now)


def reader_of(harness: str) -> ModuleType:
    """Import the transcript reader of this harness, and no other."""
    return __import__(f"{__package__}.transcripts.{harness}", fromlist=["events"])


def record_spending(spend: SpendState, when: float, dollars: float) -> None:
    """Add dollars to what was spent since the prompt and within the last minutes."""
    spend["prompt"] += dollars
    spend["recent"].append((round(when, 1), round(dollars, 6)))


def lately(recent: list[tuple[float, float]], now: float) -> list[tuple[float, float]]:
    """Sum up the last minutes in steps: hundreds of agents at once must still fit into the state."""
    steps: dict[float, float] = {}
    for when, dollars in recent:
        if now - when < WINDOW:
            start = when // STEP * STEP
            steps[start] = steps.get(start, 0.0) + dollars
    return [(start, round(dollars, 6)) for start, dollars in steps.items()]


def _book(
    call: Call,
    policy: Policy,
    logs: LogState,
    spend: SpendState,
    spent: dict[str, float],
    now: float,
) -> tuple[float, float]:
    """Book the session's totals in the ledger: of each day with new spending, and of today.

    Returns (dollars of today in this project, dollars of today on this machine).
    """
    days, today = logs.setdefault("days", {}), ledger.day_of(now)
    for name in (*sorted(spent.keys() - {today}), today):
        day = ledger.Day(policy.state, name)
        if name in spent:
            before = days[name] if name in days else _before_upgrade(call, logs, day)
            days[name] = before + spent[name]
        _tell(call, policy, day, days.get(name, 0.0))
    logs["days"] = {name: days[name] for name in sorted(days)[-DAYS:]}
    noted, when = spend.get("day_noted", (0.0, ""))
    spend["day_noted"] = (max(day.noted(call.cwd), noted if when == today else 0.0), today)
    return day.project(call.cwd), day.machine


def _before_upgrade(call: Call, logs: LogState, day: ledger.Day) -> float:
    """Return what release 0.1 had booked on this day.

    It remembered in `booked` what it had told the ledger, of all days together, and in `again` what it
    would have passed over in a log that it had begun to read once more.
    """
    if "booked" not in logs:
        return 0.0
    return max(0.0, day.stepped(call.harness, call.session) - logs.get("again", 0.0))


def _tell(call: Call, policy: Policy, day: ledger.Day, total: float) -> None:
    """Book a total; a ledger that cannot be written must not hide what the session has cost."""
    try:
        day.book(call.harness, call.session, call.cwd, total)
    except OSError as error:
        from .health import note

        note(policy.folders, call.harness, error)
