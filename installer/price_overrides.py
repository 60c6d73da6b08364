"""The user's own prices, `[prices."model"]` in `config.toml`: read, checked and stored.

An entry needs `input` and `output`, in dollars per million tokens. What else a price consists of
(the columns of the guard's table) may be given, and is otherwise what the table says of that model.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from typing import Any

from ..guard import prices
from ..guard import usage as usage_rules
from .documents import toml_document
from .errors import Refusal

KEYS = usage_rules.COLUMNS[1:]
SET = KEYS[:3]  # what a stored price consists of: input, output, cache read
NEEDED = SET[:2]
MAX_DOLLARS = 1_000_000  # of any number; the dearest model costs some hundred dollars
# A model that the table lacks: no cheaper cache, no tiers, no fast mode.
PLAIN = (0, 1, 1, 1, 1.25, 2, 0, 1, 1, 1, 1, 10)

Rows = dict[str, list[list[float]]]  # what `runaway.guard.prices.cost` takes as overrides


def overrides(values: Mapping[str, Any], name: str) -> Rows:
    """Rows from the parsed file; raises Refusal for an entry that is none (`name`: the file's)."""
    made: Rows = {}
    for model, entry in entries(values, name).items():
        spelled = prices.key(model)
        if spelled in made:
            raise _refusal(name, model, "is there twice, in two spellings", "Keep one of them.")
        made[spelled] = [row(model, entry, name)]
    return made


def entries(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = values.get("prices", {})
    if not isinstance(found, dict):
        raise Refusal(f"{name}: `prices` must be a table.", code="policy-value")
    return found


def row(model: str, entry: object, name: str) -> list[float]:
    """One entry as a row of the table."""
    if not prices.key(model) or not model.isprintable():
        raise _refusal(name, model, "names no model")
    if not isinstance(entry, dict):
        raise _refusal(name, model, "must be a table with `input` and `output`")
    for key, value in entry.items():
        if key not in KEYS:
            raise _refusal(name, model, f"has no `{key}`", f"What it can have: {', '.join(KEYS)}.")
        if not _is_number(value):
            raise _refusal(name, model, f"needs a number of 0 or more as `{key}`")
    for key in NEEDED:
        if key not in entry:
            raise _refusal(name, model, f"lacks `{key}`")
    known, is_known = prices.find(model, math.inf)
    base = dict(zip(usage_rules.COLUMNS, known if is_known else PLAIN, strict=True))
    cache_read = entry["input"] * base["cache_read"] / base["input"]
    full = base | {"since": 0, "cache_read": cache_read} | entry
    return [full[column] for column in usage_rules.COLUMNS]


def with_price(
    data: bytes | None,
    model: str,
    price: tuple[float, float, float | None],
    name: str = "config.toml",
) -> bytes:
    """The file with this price of a model: input, output and, unless None, cache read.

    All else stays as it is; an entry that names the model in another spelling is the one changed.
    """
    document = toml_document.parse(data or b"", toml_document.Rules("runaway"), name)
    overrides(tomllib.loads(document.source.text), name)
    given = {key: _short(value) for key, value in zip(SET, price, strict=True) if value is not None}
    row(model, given, name)
    own = entries(document.value, name)
    model = _spelled(own, model) or model
    kept = {key: value for key, value in own.get(model, {}).items() if key not in SET}
    return toml_document.set_value(document, ("prices", model), kept | given).data


def without_price(data: bytes | None, model: str, name: str = "config.toml") -> bytes:
    """The file without its price of a model, in whatever spelling; Refusal where it has none."""
    document = toml_document.parse(data or b"", toml_document.Rules("runaway"), name)
    spelled = _spelled(entries(document.value, name), model)
    if spelled is None:
        text = f"{name} has no price of {model!r}."
        raise Refusal(text, code="no-price", fix="`runaway prices list` shows yours first.")
    return toml_document.remove(document, ("prices", spelled)).data


def _spelled(own: Mapping[str, Any], model: str) -> str | None:
    """How the file names this model."""
    return next((there for there in own if prices.key(there) == prices.key(model)), None)


def _short(number: float) -> float:
    return int(number) if number == number // 1 else number


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_DOLLARS
    )


def _refusal(name: str, model: str, problem: str, fix: str = "Correct it.") -> Refusal:
    return Refusal(f'{name}: prices."{model}" {problem}.', code="policy-price", fix=fix)
