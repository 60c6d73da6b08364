"""`runaway prices list` and `check`: today's prices, the table's age, the user's own entries."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from runaway.guard.price_table import GENERATED, PRICES
from runaway.installer.commands.prices import Change, Listed, check, list_prices, shown
from runaway.installer.price_overrides import overrides

DAY = 86400.0
MADE = datetime.fromisoformat(GENERATED).replace(tzinfo=UTC).timestamp()
OWN = {"prices": {"gpt-5.5": {"input": 1, "output": 2}, "my-model": {"input": 0, "output": 0}}}


def listed(model: str, now: float, values: dict[str, Any] | None = None) -> Listed:
    return next(r for r in list_prices(overrides(values or {}, ""), now) if r.model == model)


def test_every_model_of_the_table_is_listed_once() -> None:
    names = [row.model for row in list_prices({}, MADE)]
    assert len(names) == len(set(names)) == len(PRICES)


def test_a_row_says_what_a_million_tokens_cost() -> None:
    row = listed("claude-haiku-5-5", MADE)
    assert (row.input, row.output, row.cache_read) == (0.1, 0.5, 0.01)
    assert (row.cache_write_5m, row.cache_write_1h) == (0.125, 0.2)
    assert (row.long_from, row.long_input, row.long_output) == (100_000, 0.5, 2.5)
    assert (row.web_search, row.own, row.next) == (10, False, None)


def test_an_announced_price_is_named_until_it_holds() -> None:
    before = listed("gemini-4-argon", datetime(2026, 11, 30, 23, tzinfo=UTC).timestamp())
    after = listed("gemini-4-argon", datetime(2026, 12, 1, tzinfo=UTC).timestamp())
    assert (before.input, before.next) == (2, Change("2026-12-01", 4, 20))
    assert (after.input, after.next) == (4, None)


def test_own_prices_come_first_and_replace_the_tables() -> None:
    rows = list_prices(overrides(OWN, ""), MADE)
    assert [(row.model, row.input, row.own) for row in rows[:2]] == [
        ("gpt-5.5", 1, True),
        ("my-model", 0, True),
    ]
    assert [row.model for row in rows].count("gpt-5.5") == 1


SPELLINGS = {
    "claude-opus-4-5": "claude-opus-4-5",
    "gpt-5-5-pro": "gpt-5.5-pro",
    "gpt-6-sol": "gpt-6-sol",
    "kimi-k2-7-code": "kimi-k2.7-code",
    "gemini-3-1-pro": "gemini-3.1-pro",
    "o3": "o3",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_names_are_shown_as_the_vendor_writes_them(name: str) -> None:
    assert shown(name) == SPELLINGS[name]


def codes(values: dict[str, Any], now: float) -> list[tuple[str, str]]:
    return [(message.level, message.code) for message in check(values, now)]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (-1, ("info", "prices-current")),
        (60, ("info", "prices-current")),
        (61, ("warning", "prices-stale")),
    ],
)
def test_a_table_older_than_sixty_days_is_a_warning(days: int, expected: tuple[str, str]) -> None:
    assert codes({}, MADE + days * DAY) == [expected]


def test_own_prices_are_compared_with_the_table() -> None:
    texts = [message.text for message in check(OWN, MADE)[1:]]
    assert texts == [
        "gpt-5.5: your price is $1 in, $2 out, instead of $5 in, $30 out.",
        "my-model: your price is $0 in, $0 out; this model is not in the built-in table.",
    ]


def test_a_broken_entry_is_an_error() -> None:
    assert codes({"prices": {"x": {"input": 1}}}, MADE)[1:] == [("error", "policy-price")]


def test_a_price_per_thousand_tokens_is_a_warning() -> None:
    values = {"prices": {"gpt-5.5": {"input": 0.005, "output": 0.03}}}
    assert ("warning", "price-unit") in codes(values, MADE)
