"""The user's own prices in config.toml: what they mean, and how they are stored without harm."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from runaway.guard import usage as usage_rules
from runaway.guard.prices import cost
from runaway.guard.usage import Usage
from runaway.installer.errors import Refusal
from runaway.installer.price_overrides import overrides, with_price

FILE = "config.toml"


def parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def own(text: str) -> dict[str, float]:
    """The one row of this file, by column."""
    ((row,),) = overrides(parsed(text), FILE).values()
    return dict(zip(usage_rules.COLUMNS, row, strict=True))


def test_a_file_without_prices_has_none() -> None:
    assert overrides({}, FILE) == {}


def test_an_own_price_keeps_what_else_the_table_knows_of_the_model() -> None:
    row = own('[prices."claude-haiku-5-5"]\ninput = 0.2\noutput = 1')
    assert row["cache_read"] == pytest.approx(0.02)
    assert (row["long_from"], row["long_input"], row["us"]) == (100_000, 5, 1.1)


def test_an_own_price_of_a_new_model_has_no_discount_and_no_surcharge() -> None:
    row = own('[prices."my-model"]\ninput = 3\noutput = 4')
    assert row["cache_read"] == 3
    assert (row["write_5m"], row["long_from"], row["fast"]) == (1.25, 0, 1)


def test_every_column_can_be_given() -> None:
    given = "".join(f"{column} = 7\n" for column in usage_rules.COLUMNS[1:])
    row = own(f'[prices."gpt-5.5"]\n{given}')
    assert row == dict.fromkeys(usage_rules.COLUMNS, 7) | {"since": 0}


def test_the_guard_reckons_with_it() -> None:
    rows = overrides(parsed('[prices."gpt-5.5"]\ninput = 1\noutput = 2'), FILE)
    assert cost("openai/gpt-5.5-2026-04-23", Usage(100_000), 0, rows) == (0.1, True)


WRONG = {
    "prices = 3": "config.toml: `prices` must be a table.",
    '[prices]\n"gpt-5.5" = 3': '"gpt-5.5" must be a table with `input` and `output`',
    "[prices.x]\ninput = 1": '"x" lacks `output`',
    "[prices.x]\ninput = 1\noutput = 1\ncached = 1": '"x" has no `cached`',
    "[prices.x]\ninput = -1\noutput = 1": "`input`",
    "[prices.x]\ninput = 1\noutput = inf": "`output`",
    "[prices.x]\ninput = nan\noutput = 1": "`input`",
    "[prices.x]\ninput = true\noutput = 1": "`input`",
    '[prices.x]\ninput = "1"\noutput = 1': "`input`",
    '[prices."/"]\ninput = 1\noutput = 1': "names no model",
    '[prices."gpt-5.5"]\ninput = 1\noutput = 1\n[prices."gpt-5-5"]\ninput = 1\noutput = 1': (
        "is there twice"
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_entry_is_refused_by_name(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        overrides(parsed(text), FILE)
    assert WRONG[text] in refused.value.text
    assert refused.value.text.startswith("config.toml: ")


NEW = '[prices."gpt-5.5"]\ninput = 4\noutput = 20.5\n'
STORED = {
    "no file": ("", NEW),
    "comments and order stay": (
        '# mine\nmode = "observe" # for now\n\n[spend]\nday_cap = 50\n',
        '# mine\nmode = "observe" # for now\n\n[spend]\nday_cap = 50\n\n' + NEW,
    ),
    "another model is there": (
        "[prices.x]\ninput = 1\noutput = 2\n",
        "[prices.x]\ninput = 1\noutput = 2\n\n" + NEW,
    ),
    "another price is there, in another spelling": (
        '[prices."GPT-5-5"]\ninput = 1 # list\noutput = 2\ncache_read = 0.1\nfast = 3.50\n',
        '[prices."GPT-5-5"]\ninput = 4 # list\noutput = 20.5\nfast = 3.50\n',
    ),
}


@pytest.mark.parametrize("case", STORED)
def test_a_price_is_stored(case: str) -> None:
    before, after = STORED[case]
    assert with_price(before.encode(), "gpt-5.5", (4.0, 20.5, None)).decode() == after


ODD = {
    "an inline table": "prices = { x = { input = 1, output = 2 } }\n[spend]\nday_cap = 1\n",
    "dotted keys": "prices.x.input = 1\nprices.x.output = 2\n[spend]\nday_cap = 1\n",
    "parts apart": "[prices.x]\ninput=1\noutput=2\n[spend]\n[prices.y]\ninput=1\noutput=2\n",
    "an empty table": "[prices]\n[spend]\nday_cap = 1\n",
    "no line end at the end": "[spend]\nday_cap = 50",
    "Windows line ends": "[spend]\r\nday_cap = 1\r\n",
    "in front": "[prices.x]\ninput = 1\noutput = 2\n\n[spend]\nday_cap = 1\n",
}


@pytest.mark.parametrize("case", ODD)
def test_a_file_of_unusual_form_is_not_harmed(case: str) -> None:
    before = parsed(ODD[case])
    after = parsed(with_price(ODD[case].encode(), "gpt-5.5", (4, 20, 0.4)).decode())
    entry = {"input": 4, "output": 20, "cache_read": 0.4}
    assert after == before | {"prices": before.get("prices", {}) | {"gpt-5.5": entry}}


def test_storing_it_again_changes_nothing() -> None:
    once = with_price(b"# mine\n", "gpt-5.5", (4, 20, 0.4))
    assert with_price(once, "gpt-5.5", (4, 20, 0.4)) == once


UNFIT = {
    "not TOML": (b"= 3", "gpt-5.5", (1, 2, None), "config.toml"),
    "not UTF-8": (b"\xff", "gpt-5.5", (1, 2, None), "config.toml"),
    "a negative price": (None, "gpt-5.5", (-1, 2, None), "`input`"),
    "not a number": (None, "gpt-5.5", (1, float("nan"), None), "`output`"),
    "no model": (None, "", (1, 2, None), "names no model"),
    "a name with a line end": (None, "gpt\n5", (1, 2, None), "names no model"),
    "a broken entry beside it": (b"[prices.x]\ninput = 1", "gpt-5.5", (1, 2, None), '"x" lacks'),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_cannot_be_stored_is_refused(case: str) -> None:
    data, model, price, words = UNFIT[case]
    with pytest.raises(Refusal) as refused:
        with_price(data, model, price)
    assert words in refused.value.text


@pytest.mark.parametrize(
    "model", ['a "quoted" name', "back\\slash", "naïve-モデル", "a.b/c:d@e[1m]"]
)
def test_any_printable_name_can_be_stored(model: str) -> None:
    stored = tomllib.loads(with_price(None, model, (1, 2, None)).decode())
    assert stored == {"prices": {model: {"input": 1, "output": 2}}}
