from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runaway.guard.fastjson import dumps, loads
from runaway.guard.transcripts import REPORTED_TOTAL, RESET, USAGE, accounts
from runaway.guard.usage import Usage

if TYPE_CHECKING:
    from runaway.guard.state import Account

Event = Any


def price(_model: str, usage: Usage, _when: float) -> float:
    """One dollar per token out."""
    return usage.output


def response(identity: str, dollars: float, when: float = 0.0, inherited: bool = False) -> Event:
    return (USAGE, when, identity, "m", Usage(output=dollars), inherited)


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param(Usage(output=10**11), id="tokens out"),
        pytest.param(Usage(cache_read=10**9), id="tokens read"),
        pytest.param(Usage(cache_write_1h=10**9), id="tokens written"),
        pytest.param(Usage(output=1, web_searches=10**9), id="searches"),
        pytest.param(Usage(output=1, dollars=1e8), id="dollars"),
        pytest.param(Usage(output=1, dollars=float("nan")), id="no number of dollars"),
    ],
)
def test_numbers_that_cannot_be_are_not_counted(usage: Usage) -> None:
    account = account_of(response("a", 3), (USAGE, 0.0, "b", "m", usage, False))
    assert accounts.total(account) == 3


def test_sums_of_a_long_session_may_be_larger_than_a_response() -> None:
    account = account_of((USAGE, 0.0, "", "m", Usage(cache_read=10**9, output=5), False))
    assert accounts.total(account) == 5


def account_of(*events: Event, stored_between: bool = False) -> Account:
    account: Account = {}
    accounts.load(account)
    for event in events:
        accounts.add(account, event, price)
        if stored_between:
            account = stored(account)
    return account


def stored(account: Account) -> Account:
    accounts.dump(account)
    account = cast("Account", loads(dumps(account)))
    accounts.load(account)
    return account


TOTALS = {
    "nothing": ([], 0),
    "responses add up": ([response("a", 1), response("b", 2)], 3),
    "the records of a response count once": ([response("a", 1)] * 3, 1),
    "the largest of them counts": ([response("a", 1), response("a", 5), response("a", 3)], 5),
    "however they are interleaved": (
        [response("a", 1), response("b", 2), response("a", 5), response("b", 2)],
        7,
    ),
    "what has no identity is never repeated": ([response("", 1), response("", 1)], 2),
    "a floor holds": ([response("a", 1), (REPORTED_TOTAL, 0.0, 10.0)], 10),
    "and what comes after it is added": (
        [response("a", 1), (REPORTED_TOTAL, 5.0, 10.0), response("b", 2, when=6.0)],
        12,
    ),
    "but not what is older": (
        [response("a", 1), (REPORTED_TOTAL, 5.0, 10.0), response("b", 2, when=4.0)],
        10,
    ),
    "a floor that is lower than the sum is none": (
        [response("a", 3), (REPORTED_TOTAL, 0.0, 1.0)],
        3,
    ),
    "the last floor is the one": (
        [(REPORTED_TOTAL, 0.0, 5.0), response("a", 1, when=1.0), (REPORTED_TOTAL, 1.0, 7.0)],
        7,
    ),
    "a lower one later does not lower it": (
        [(REPORTED_TOTAL, 0.0, 5.0), response("a", 4, when=1.0), (REPORTED_TOTAL, 1.0, 7.0)],
        9,
    ),
    "a log that begins anew takes nothing back": (
        [response("a", 3), (REPORTED_TOTAL, 0.0, 9.0), (RESET, 0.0), response("a", 2)],
        9,
    ),
    "what was counted before a log began anew comes again for nothing": (
        [response("a", 3, when=5.0), (RESET, 8.0), response("b", 2, when=6.0)],
        3,
    ),
    "what a log that began anew tells later is added": (
        [response("a", 3, when=5.0), (RESET, 8.0), response("b", 2, when=9.0)],
        5,
    ),
}


@pytest.mark.parametrize("stored_between", [False, True], ids=["at once", "stored between"])
@pytest.mark.parametrize(("events", "total"), TOTALS.values(), ids=TOTALS)
def test_totals(events: list[Event], total: float, stored_between: bool) -> None:
    assert accounts.total(account_of(*events, stored_between=stored_between)) == pytest.approx(
        total
    )


def test_what_an_event_adds_is_what_the_total_grows_by() -> None:
    account = account_of()
    events = [
        response("a", 1), response("a", 4), (REPORTED_TOTAL, 1.0, 3.0), response("b", 2, 2.0),
        (REPORTED_TOTAL, 3.0, 20.0), response("c", 1, 4.0),
    ]  # fmt: skip
    added = [accounts.add(account, event, price) for event in events]
    assert added == [1, 3, 0, 2, 14, 1]
    assert sum(added) == accounts.total(account)


def test_what_was_inherited_is_known() -> None:
    account = account_of(
        response("a", 5, inherited=True), response("a", 5, inherited=True), response("b", 2)
    )
    assert (accounts.total(account), account["inherited"]) == (7, 5)


def test_a_copy_of_what_was_read_long_ago_does_not_count() -> None:
    many = [response(f"msg_{number}", 1) for number in range(accounts.SEEN + accounts.RECENT)]
    account = account_of(*many)
    assert accounts.total(account) == len(many)
    account = stored(account)
    for event in many:
        accounts.add(account, event, price)
    assert accounts.total(account) == len(many)


def test_a_first_reading_finds_every_copy_however_old() -> None:
    many = [response(f"msg_{number}", 1) for number in range(5 * accounts.SEEN)]
    assert accounts.total(account_of(*many, *many)) == len(many)


def test_what_is_stored_stays_small() -> None:
    account = account_of(*[response(f"msg_{number}", 1.234567891) for number in range(20_000)])
    accounts.dump(account)
    assert len(dumps(account)) < 8_500
