"""Add up what a session cost, each response once.

An account is a dict that fits into the state of a session:

    sum        dollars of all responses seen
    inherited  the part of it that was copied from the session this one was forked off; the harness
               counts it for this session, a ledger over all sessions must not
    floor      the harness's own total, when it last told one, if that is more than was counted till
               then; it includes requests that leave no record, such as compaction
    since      the time of that floor;  after: dollars of the responses after it
    recent     [id, dollars] of the last responses
    seen       digests of the ids of those before them, in one text
    counted    where the log was deleted, cut or replaced: the time before which all was counted

The total is `max(sum, floor + after)`, and never shrinks, whatever becomes of the log.

A response is written once per block of its content, and older releases wrote it while it grew: the
largest record of an id counts. Those records stand close together, with at most the results of the
same response between them, so the last RECENT ids with their dollars are enough to let them grow.
Copies come later and do not grow: a subagent may start with a copy of its parent's records. For them
the digests of the last SEEN responses are kept (and `session_files` does not take what is much older
than its last reading from a file it does not know). A fork has an account of its own, in which each id
comes once. Nothing is dropped before `dump`, so a first reading finds every copy it meets.
"""

from __future__ import annotations

from ..call import digest
from ..usage import MAX_TOKENS, MAX_TOKENS_OF_SUMS
from . import KIND, REPORTED_TOTAL, RESET, TIME, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state import Account, Event, UsageEvent
    from ..usage import Usage

    Price = Callable[[str, Usage, float], float]

RECENT = 64  # more than twice the agents that are at work at once
SEEN = 700
MARK = 8  # hex digits of a digest: one response in 700,000 is taken for a copy by mistake
MAX_ID_CHARACTERS = 40  # characters of an id that are kept, from its end
EMPTY: Account = {
    "sum": 0.0,
    "inherited": 0.0,
    "floor": 0.0,
    "since": 0.0,
    "after": 0.0,
    "seen": "",
    "counted": 0.0,
}


def load(account: Account) -> None:
    """Make a stored account usable, in place; an empty dict is a new one."""
    account.update({**EMPTY, **account})
    account["recent"] = dict(account.get("recent", ()))


def dump(account: Account) -> None:
    """Make it small enough to be stored, in place; a list, because stored objects lose their order."""
    names = list(account["recent"])
    marks = [digest(name)[:MARK] for name in names[:-RECENT][-SEEN:]]
    account["seen"] = (account["seen"] + "".join(marks))[-SEEN * MARK :]
    account["recent"] = [[name, account["recent"][name]] for name in names[-RECENT:]]  # type: ignore[typeddict-item]


def total(account: Account) -> float:
    """Return the dollars of the session so far."""
    return max(account.get("sum", 0.0), account.get("floor", 0.0) + account.get("after", 0.0))


def add(account: Account, event: Event, price: Price) -> float:
    """Add an event; return the dollars by which the total grew. `price(model, usage, when)`: dollars."""
    if event[KIND] == USAGE:
        before = total(account)
        _add_usage(account, event, price)
        return total(account) - before
    if event[KIND] == REPORTED_TOTAL:
        before = total(account)
        account["floor"] = max(event[2], account["floor"] + account["after"])  # none ever shrinks
        account["since"], account["after"] = event[TIME], 0.0
        return total(account) - before
    if event[KIND] == RESET:
        account["counted"] = max(event[TIME], account["counted"])
    return 0.0


def is_copied(account: Account, event: Event) -> bool:
    """Tell whether the parent of a fork has counted this; so it has the last total of a mere copy."""
    if event[KIND] == USAGE:
        return bool(event[5])
    return bool(0 < account["sum"] == account["inherited"])


def _add_usage(account: Account, event: UsageEvent, price: Price) -> None:
    _, when, identity, model, usage, inherited = event
    limit = MAX_TOKENS if identity else MAX_TOKENS_OF_SUMS
    if when < account["counted"] or not usage.is_plausible(limit):
        return
    grown = price(model, usage, when)
    if identity:
        grown = _growth(account, identity[-MAX_ID_CHARACTERS:], round(grown, 9))
    account["sum"] += grown
    if when > account["since"]:
        account["after"] += grown
    if inherited:
        account["inherited"] += grown


def _growth(account: Account, name: str, dollars: float) -> float:
    recent, seen = account["recent"], account["seen"]
    if seen and name not in recent and digest(name)[:MARK] in seen:
        return 0.0
    counted = recent.pop(name, 0.0)
    recent[name] = max(dollars, counted)
    return max(0.0, dollars - counted)
