"""The two maintained price lists, read into one form that can be compared field by field.

Both are exact packages and both are under the MIT licence. Of LiteLLM only the JSON file inside its
wheel is read; nothing of it is installed or run.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices import data
from genai_prices.types import (
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    StartDateConstraint,
    TieredPrices,
)

GENAI_VERSION = "0.2.3"
LITELLM_VERSION = "1.110.2"
LITELLM_WHEEL = ("manylinux_2_28_x86_64", "cp", "abi3", "3.11")
LITELLM_FILE = "litellm/model_prices_and_context_window_backup.json"
LITELLM_SHA256 = "8943af58bf9f979c6a4bef815687117ffa341e462a41faed9be17b5c33d3dcc2"
KEPT = Path(__file__).parents[1] / ".cache" / f"litellm-{LITELLM_VERSION}.json"

# Dollars per million tokens: input output cache_read cache_write cache_write_1h, the same with
# `long_` above `long_from` tokens; factors: fast flex ultrafast us; search: dollars per 1,000.
# A field that a source does not state is absent.
Quote = dict[str, Fraction]
Periods = list[tuple[date, Quote]]  # newest first


def genai(name: str) -> Periods:
    """The prices of `provider:id` in genai-prices, past and announced ones too; [] if it has none.

    Where prices change with the hour of the day, the dearest hour is taken for the whole day.
    """
    if version("genai-prices") != GENAI_VERSION:
        raise ValueError(f"genai-prices {GENAI_VERSION} is wanted, see requirements/dev.in")
    provider_id, _, model_id = name.partition(":")
    models = [m for p in data.providers if p.id == provider_id for m in p.models]
    model = next((m for m in models if m.id == model_id), None)
    if model is None:
        return []
    factors = _genai_factors(model)
    periods = [(since, factors | _genai_quote(prices)) for since, prices in _genai_periods(model)]
    search = periods[0][1].get("search")
    return [(since, quote | ({"search": search} if search else {})) for since, quote in periods]


def listed(makers: Iterable[str], reseller: str, resold: Iterable[str]) -> Iterator[str]:
    """`provider:id` of all models of these makers, then of those whose ids begin with one of `resold`."""
    for maker in makers:
        yield from (f"{p.id}:{m.id}" for p in data.providers if p.id == maker for m in p.models)
    ids = [m.id for p in data.providers if p.id == reseller for m in p.models]
    for maker in resold:
        yield from (f"{reseller}:{id}" for id in ids if id.startswith(f"{maker}/"))


def _genai_periods(model: ModelInfo) -> list[tuple[date, ModelPrice]]:
    if isinstance(model.prices, ModelPrice):
        return [(date.min, model.prices)]
    by_hour = [p.prices for p in model.prices if not _starts(p)]
    if len(by_hour) > 1:
        return [(date.min, max(by_hour, key=lambda prices: _genai_quote(prices)["output"]))]
    return [(_since(period), period.prices) for period in reversed(model.prices)]


def _starts(period: ConditionalPrice) -> bool:
    return isinstance(period.constraint, StartDateConstraint)


def _since(period: ConditionalPrice) -> date:
    constraint = period.constraint
    return constraint.start_date if isinstance(constraint, StartDateConstraint) else date.min


GENAI_FIELDS = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cache_read",
    "cache_write_mtok": "cache_write",
    "cache_write_1h_mtok": "cache_write_1h",
    "web_searches_kcount": "search",
}


def _genai_quote(prices: ModelPrice) -> Quote:
    quote: Quote = {}
    for theirs, field in GENAI_FIELDS.items():
        value = getattr(prices, theirs)
        if isinstance(value, TieredPrices):
            if len(value.tiers) != 1:
                raise ValueError("the table has room for one price of long prompts, not more")
            tier = value.tiers[0]
            quote["long_from"] = Fraction(tier.start)
            quote["long_" + field] = Fraction(tier.price)
            value = value.base
        if value is not None:
            quote[field] = Fraction(value)
    return quote


def _genai_factors(model: ModelInfo) -> Quote:
    """What fast and flex multiply the standard price by; the same for input and output, or fails."""
    wanted = {("speed", "fast"): "fast", ("service_tier", "priority"): "fast"}
    wanted[("service_tier", "flex")] = "flex"
    standard = _genai_quote(_genai_periods(model)[0][1])
    factors: Quote = {}
    for variant in model.price_variants or ():
        for condition in variant.when.items():
            if condition in wanted:
                factors[wanted[condition]] = _factor(standard, _genai_quote(variant.prices))
    return factors


def _factor(standard: Quote, other: Quote) -> Fraction:
    factor = other["input"] / standard["input"]
    if other["output"] != factor * standard["output"]:
        raise ValueError(f"no single factor leads from {standard} to {other}")
    return factor


LITELLM_FIELDS = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "cache_read_input_token_cost": "cache_read",
    "cache_creation_input_token_cost": "cache_write",
    "cache_creation_input_token_cost_above_1hr": "cache_write_1h",
}
ABOVE = re.compile(r"_above_(\d+)k_tokens$")


def litellm(entry: Mapping[str, Any]) -> Quote:
    """One entry of LiteLLM's price map; a price of zero is one that it does not know."""
    quote: Quote = {}
    for theirs, value in entry.items():
        above = ABOVE.search(theirs)
        field = LITELLM_FIELDS.get(ABOVE.sub("", theirs))
        if field and value:
            quote[("long_" if above else "") + field] = Fraction(value) * 1_000_000
            if above:
                quote["long_from"] = Fraction(above[1]) * 1000
    return quote | _litellm_factors(entry, quote)


def _litellm_factors(entry: Mapping[str, Any], quote: Quote) -> Quote:
    """`fast` of Google is left out: its agents have no switch for it."""
    stated = entry.get("provider_specific_entry", {})
    factors = {name: Fraction(stated[name]) for name in ("fast", "us") if name in stated}
    if entry["litellm_provider"] == "openai":
        for theirs, ours in ("priority", "fast"), ("flex", "flex"), ("ultrafast", "ultrafast"):
            suffix = "_cost_per_token_" + theirs
            if entry.get("input" + suffix):
                special = {way: Fraction(entry[way + suffix]) for way in ("input", "output")}
                factors[ours] = _factor(quote, {k: v * 1_000_000 for k, v in special.items()})
    search = entry.get("search_context_cost_per_query", {}).get("search_context_size_medium")
    return factors | ({"search": Fraction(search) * 1000} if search else {})


def litellm_map() -> dict[str, Any]:
    """LiteLLM's whole price map with exact decimals, from the wheel's JSON file kept in .cache."""
    if not KEPT.exists():
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_bytes(_download())
    raw = KEPT.read_bytes()
    if hashlib.sha256(raw).hexdigest() != LITELLM_SHA256:
        raise ValueError(f"{KEPT} is not the price map of litellm {LITELLM_VERSION}: delete it")
    whole: dict[str, Any] = json.loads(raw, parse_float=Decimal)
    return whole


def _download() -> bytes:
    """The same wheel whatever machine this is, so that the checksum holds."""
    platform, implementation, abi, python = LITELLM_WHEEL
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--platform", platform, "--implementation", implementation]
    command += ["--abi", abi, "--python-version", python, f"litellm=={LITELLM_VERSION}"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "--dest", folder], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(LITELLM_FILE)
