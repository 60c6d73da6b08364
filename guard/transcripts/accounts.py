"""What a session cost: usage events added up, each response once.

An account is a dict that fits into the state of a session:

    sum        dollars of all responses seen
    inherited  the part of it that was copied from the session this one was forked off; the harness
               counts it for this session, a ledger over all sessions must not
    floor      the harness's own total, when it last told one; it includes requests that leave no
               record, such as compaction
    since      the time of that floor;  after: dollars of the responses after it
    recent     [fingerprint of its id, dollars] of the last responses

    seen       fingerprints of the responses before those, in one text

The total is `max(sum, floor + after)`.

A response is written once per block of its content, and older releases wrote it while it grew: the
largest record of an id counts. Those records stand close together, with at most the results of the
same response between them, so the last RECENT ids with their dollars are enough to let them grow.
Copies come later and do not grow: a subagent may start with a copy of its parent's records. For them
the digests of the last SEEN responses are kept (and `family` does not take what is much older
than its last reading from a file it does not know). A fork has an account of its own, in which each id
comes once. Nothing is dropped before `pack`, so a first reading finds every copy it meets.
"""

from __future__ import annotations

from ..call import digest
from . import FLOOR, KIND, RESET, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..prices import Usage

    Event = tuple[Any, ...]
    Account = dict[str, Any]
    Price = Callable[[str, Usage, float], float]

RECENT = 64  # more than twice the agents that are at work at once
SEEN = 700
MARK = 8  # hex digits of a fingerprint: one response in six millions is taken for a copy by mistake


def unpack(account: Account) -> None:
    """Make a stored account usable; an empty dict is a new one."""
    for name in ("sum", "inherited", "floor", "since", "after"):
        account.setdefault(name, 0.0)
    marks = account.get("seen", "")
    account["seen"] = {marks[start : start + MARK]: None for start in range(0, len(marks), MARK)}
    account["recent"] = dict(account.get("recent", ()))


def pack(account: Account) -> None:
    """Make it small enough to be stored; a list, because stored objects lose their order."""
    recent, seen = account["recent"], account["seen"]
    for name in list(recent)[:-RECENT]:
        seen[name[:MARK]] = None
        del recent[name]
    account["recent"] = [[name, dollars] for name, dollars in recent.items()]
    account["seen"] = "".join(list(seen)[-SEEN:])


def total(account: Account) -> float:
    """Dollars of the session so far."""
    return float(
        max(account.get("sum", 0.0), account.get("floor", 0.0) + account.get("after", 0.0))
    )


def add(account: Account, event: Event, price: Price) -> float:
    """Dollars by which the event raises the total; `price(model, usage, when)` gives dollars."""
    before = total(account)
    if event[KIND] == USAGE:
        _add_usage(account, event, price)
    elif event[KIND] == FLOOR:
        _, account["since"], account["floor"] = event
        account["after"] = 0.0
    elif event[KIND] == RESET:
        account.clear()
        unpack(account)
        return 0.0
    return total(account) - before


def _add_usage(account: Account, event: Event, price: Price) -> None:
    _, when, identity, model, usage, inherited = event
    grown = price(model, usage, when)
    if identity:
        grown = _growth(account, digest(identity), round(grown, 9))
    account["sum"] += grown
    if when > account["since"]:
        account["after"] += grown
    if inherited:
        account["inherited"] += grown


def _growth(account: Account, name: str, dollars: float) -> float:
    recent = account["recent"]
    if name not in recent and name[:MARK] in account["seen"]:
        return 0.0
    counted = recent.pop(name, 0.0)
    recent[name] = max(dollars, counted)
    return float(max(0.0, dollars - counted))
