"""`runaway prices`: what the guard reckons with. Each function returns plain values."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...guard import prices
from ...guard import usage as usage_rules
from ...guard.price_table import GENERATED, PRICES
from ...guard.prices import active
from .. import policy_file, price_overrides
from ..errors import Refusal
from ..machine import Machine
from ..price_overrides import Rows, entries, overrides
from ..result import Message, Result
from . import config

STALE = 60  # days
PER_THOUSAND = 0.01  # a price that low is likely meant for a thousand tokens, not a million
UPDATE = "Update runaway, or set the models you use with `runaway prices set`."


class Change(NamedTuple):
    day: str
    input: float
    output: float


class Listed(NamedTuple):
    """A model's prices today, in dollars per million tokens; `own`: from the user's config.toml.

    `long_input` and `long_output` are the prices of prompts with more than `long_from` tokens
    (0: none differ); `fast` and `us` multiply; `web_search` is in dollars per thousand.
    """

    model: str
    input: float
    output: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    long_from: int
    long_input: float
    long_output: float
    fast: float
    us: float
    web_search: float
    own: bool
    next: Change | None


def list_prices(own: Rows, now: float) -> tuple[Listed, ...]:
    """The user's own prices first, then the table in its order."""
    rest = {name: periods for name, periods in PRICES.items() if name not in own}
    mine = [_listed(name, own[name], now, own=True) for name in own]
    return (*mine, *(_listed(name, rest[name], now, own=False) for name in rest))


def _listed(name: str, periods: prices.Periods, now: float, *, own: bool) -> Listed:
    row = dict(zip(usage_rules.COLUMNS, active(periods, now), strict=True))
    future = [period for period in periods if period[usage_rules.SINCE] > now]
    return Listed(
        model=shown(name),
        input=row["input"],
        output=row["output"],
        cache_read=row["cache_read"],
        cache_write_5m=row["input"] * row["write_5m"],
        cache_write_1h=row["input"] * row["write_1h"],
        long_from=int(row["long_from"]),
        long_input=row["input"] * row["long_input"],
        long_output=row["output"] * row["long_output"],
        fast=row["fast"],
        us=row["us"],
        web_search=row["search"],
        own=own,
        next=_change(future[-1]) if future else None,
    )


def _change(row: usage_rules.Row) -> Change:
    return Change(_day(row[usage_rules.SINCE]), row[usage_rules.INPUT], row[usage_rules.OUTPUT])


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def shown(name: str) -> str:
    """The vendor's spelling of a name in the table: only Claude's versions have dashes."""
    return name if name.startswith("claude") else re.sub(r"(\d)-(?=\d)", r"\1.", name)


def check(values: Mapping[str, Any], now: float, name: str = "config.toml") -> tuple[Message, ...]:
    """How old the table is, and what is wrong or odd about the user's own prices."""
    return (_age(now), *_own(values, now, name))


def _age(now: float) -> Message:
    made = datetime.fromisoformat(GENERATED).replace(tzinfo=UTC).timestamp()
    days = int((now - made) // 86400)
    text = f"The price table is of {GENERATED}, {len(PRICES)} models."
    if days <= STALE:
        return Message("info", "prices-current", text)
    return Message("warning", "prices-stale", f"{text} It is {days} days old.", fix=UPDATE)


def _own(values: Mapping[str, Any], now: float, name: str) -> Iterator[Message]:
    try:
        own = overrides(values, name)
    except Refusal as refused:
        yield Message("error", refused.code, refused.text, fix=refused.fix)
        return
    for model in entries(values, name):
        row = own[prices.key(model)][0]
        yield _compared(model, row, now)
        if 0 < row[usage_rules.INPUT] < PER_THOUSAND:
            text = f"{model}: {row[usage_rules.INPUT]:g} dollars per million tokens is very little."
            yield Message("warning", "price-unit", text, fix="Was it meant for fewer tokens?")


def _compared(model: str, row: list[float], now: float) -> Message:
    table, known = prices.find(model, now)
    instead = f"instead of {_pair(table)}" if known else "this model is not in the built-in table"
    mark = "," if known else ";"
    return Message("info", "price-own", f"{model}: your price is {_pair(row)}{mark} {instead}.")


def _pair(row: usage_rules.Row) -> str:
    return f"${row[usage_rules.INPUT]:g} in, ${row[usage_rules.OUTPUT]:g} out"


def listing(machine: Machine) -> Result:
    rows = list_prices(_overrides(machine), time.time())
    lines = [f"{'model':32}{'in':>9}{'out':>9}{'cache read':>12}"]
    lines += [f"{one.model:32}{one.input:>9g}{one.output:>9g}{one.cache_read:>12g}" for one in rows]
    data = {"prices": [{**one._asdict(), "next": one.next and one.next._asdict()} for one in rows]}
    return Result("prices", "ok", data=data, lines=tuple(lines))


def checked(machine: Machine) -> Result:
    config = machine.config_file
    values = tomllib.loads((policy_file.read(config) or b"").decode())
    messages = check(values, time.time(), machine.tilde(config))
    failed = any(message.level == "error" for message in messages)
    lines = tuple(message.text for message in messages if message.level == "info")
    return Result(
        "prices", "failed" if failed else "ok", int(failed), messages=messages, lines=lines
    )


def store(machine: Machine, model: str, price: tuple[float, float, float | None]) -> Result:
    name = machine.tilde(machine.config_file)
    config.store(machine, lambda data: price_overrides.with_price(data, model, price, name))
    line = f"{model}: ${price[0]:g} in, ${price[1]:g} out per million tokens."
    return Result("prices", "changed", data={"model": model, "price": list(price)}, lines=(line,))


def unset(machine: Machine, model: str) -> Result:
    """Take the person's own price out; the table's holds again."""
    name = machine.tilde(machine.config_file)
    config.store(machine, lambda data: price_overrides.without_price(data, model, name))
    row, known = prices.find(model, time.time())
    rest = f"the table says {_pair(row)}" if known else "the table lacks this model"
    line = f"{model}: your own price is gone; {rest}."
    return Result("prices", "changed", data={"model": model, "price": None}, lines=(line,))


def _overrides(machine: Machine) -> Rows:
    path = machine.config_file
    return overrides(policy_file.parse(policy_file.read(path)), machine.tilde(path))
