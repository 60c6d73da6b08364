"""The price table is made only where its sources agree, or where an exception says what to do."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from runaway.guard import price_table
from tools.price_models import AS_OF, EXCEPTIONS, MODELS, Choice, Model

pytest.importorskip("genai_prices", reason="genai-prices is not installed")

from tools import make_prices, price_sources
from tools.make_prices import Sources, differences, problems, render, rows

MODEL = Model("some-model", "vendor:some-model", "some-model")
PRICE = {"input": Fraction(5), "output": Fraction(25), "cache_read": Fraction(1, 2)}
TIER = {"long_from": Fraction(200_000), "long_input": Fraction(10), "long_output": Fraction(75, 2)}


def sources(genai: dict[str, Fraction] | None, litellm: dict[str, Fraction] | None) -> Sources:
    return Sources(MODEL, [(date.min, genai)] if genai else [], litellm)


def test_equal_prices_are_no_difference() -> None:
    assert differences(sources(PRICE, dict(PRICE))) == []


def test_what_only_one_source_states_is_no_difference() -> None:
    assert differences(sources(PRICE, PRICE | {"cache_write_1h": Fraction(10)})) == []


DIFFERENT = {
    "another price": ({"output": Fraction(26)}, "some-model output: genai-prices 25, LiteLLM 26"),
    "a tier in one source": (TIER, "some-model long_from: genai-prices 0, LiteLLM 200000"),
    "a fast mode in one source": (
        {"fast": Fraction(2)},
        "some-model fast: genai-prices 1, LiteLLM 2",
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_a_difference_is_named(case: str) -> None:
    change, sentence = DIFFERENT[case]
    assert problems([sources(PRICE, PRICE | change)], {}) == [sentence]


def test_a_model_in_one_source_needs_an_exception() -> None:
    assert problems([sources(PRICE, None)], {}) == [
        "some-model model: genai-prices 1, LiteLLM lacks it"
    ]
    assert problems([sources(PRICE, None)], {("some-model", "model"): Choice("genai", "new")}) == []


def test_an_exception_that_nothing_needs_is_named() -> None:
    choices = {("some-model", "output"): Choice("genai", "they differed once")}
    assert problems([sources(PRICE, PRICE)], choices) == [
        "some-model output: no exception is needed"
    ]


def test_a_value_that_no_source_states_needs_no_difference() -> None:
    choices = {("some-model", "fast"): Choice(Fraction(6), "only the vendor says so")}
    made = rows(sources(PRICE, PRICE), choices)
    assert problems([sources(PRICE, PRICE)], choices) == []
    assert made == [(0, 5, 25, 0.5, 1, 1, 0, 1, 1, 6, 1, 10)]


@pytest.mark.parametrize(("take", "tier"), [("genai", (0, 1, 1)), ("litellm", (200_000, 2, 1.5))])
def test_an_exception_takes_the_side_it_names(take: str, tier: tuple[float, ...]) -> None:
    choices = {("some-model", "long_from"): Choice(take, "that side is right")}
    (row,) = rows(sources(PRICE, PRICE | TIER), choices)
    assert row[6:9] == tier


def test_periods_with_the_same_price_become_one() -> None:
    cheaper = PRICE | {"output": Fraction(20)}
    periods = [(date(2026, 3, 1), PRICE), (date(2026, 2, 1), PRICE), (date.min, cheaper)]
    made = rows(Sources(MODEL, periods, PRICE), {})
    assert [(row[0], row[2]) for row in made] == [(1769904000, 25), (0, 20)]


def test_a_tier_that_the_table_has_no_room_for_is_refused() -> None:
    odd = PRICE | TIER | {"long_cache_read": Fraction(3, 4)}
    with pytest.raises(ValueError, match="some-model: a long prompt"):
        rows(sources(odd, odd), {})


def test_another_factor_for_flex_than_the_guard_knows_is_refused() -> None:
    odd = PRICE | {"flex": Fraction(3, 4)}
    with pytest.raises(ValueError, match="flex is 3/4 times the price, not 1/2"):
        rows(sources(odd, odd), {})


def test_litellm_entries_are_read_exactly() -> None:
    entry: dict[str, Any] = {
        "litellm_provider": "openai",
        "input_cost_per_token": Decimal("0.0000011"),
        "input_cost_per_token_above_272k_tokens": Decimal("0.0000022"),
        "input_cost_per_token_priority": Decimal("0.000002"),
        "output_cost_per_token": Decimal("0.0000044"),
        "output_cost_per_token_priority": Decimal("0.000008"),
        "cache_creation_input_token_cost": Decimal(0),
        "provider_specific_entry": {"us": Decimal("1.1"), "eu": Decimal("1.2")},
    }
    assert price_sources.litellm(entry) == {
        "input": Fraction(11, 10),
        "long_input": Fraction(22, 10),
        "long_from": 272_000,
        "output": Fraction(44, 10),
        "fast": Fraction(20, 11),
        "us": Fraction(11, 10),
    }


def test_dated_prices_are_read_newest_first() -> None:
    periods = price_sources.genai("google:gemini-4-argon")
    assert [since for since, _ in periods] == [date(2026, 12, 1), date.min]
    assert [quote["input"] for _, quote in periods] == [4, 2]


def test_the_dearest_hour_stands_for_the_whole_day() -> None:
    ((_, quote),) = price_sources.genai("deepseek:deepseek-v4-pro")
    assert quote["output"] == Fraction("3.96")


def test_the_rendered_table_is_python_that_says_the_same() -> None:
    made = rows(Sources(MODEL, [(date(2026, 3, 1), PRICE), (date.min, PRICE | TIER)], None), {})
    namespace: dict[str, Any] = {}
    exec(render({"some-model": made}), namespace)
    assert namespace["PRICES"] == {"some-model": tuple(made)}
    assert namespace["GENERATED"] == str(AS_OF)


def test_every_exception_has_a_reason_and_a_model() -> None:
    names = {model.name for model in MODELS}
    for (name, field), choice in EXCEPTIONS.items():
        assert name in names
        assert choice.reason, f"{name} {field}"


def test_the_table_holds_the_listed_models_and_then_all_others_of_their_makers() -> None:
    names, named = list(price_table.PRICES), [model.name for model in MODELS]
    assert names[: len(named)] == named
    others = names[len(named) :]
    assert others == sorted(others)
    wanted = (
        "minimax-m2-7 devstral-2512 kimi-k2-5 mimo-v2-5 hy3-preview grok-code-fast-1 deepseek-chat"
    )
    assert set(wanted.split()) <= set(others)


def test_the_committed_table_is_what_the_sources_give() -> None:
    if not price_sources.KEPT.exists():
        pytest.skip("LiteLLM's price map is not in .cache: `make prices` puts it there")
    assert make_prices.TARGET.read_text(encoding="utf-8") == make_prices.table()
