"""Token counts of a response, and the arithmetic of a price row; what a model costs is in prices.py.

The unit of prices is dollars per million tokens. Where the rules come from: docs/prices.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = Sequence[float]

COLUMNS = (
    "since",  # Unix time from which this price holds
    "input",
    "output",
    "cache_read",
    "write_5m",  # times the input price
    "write_1h",
    "long_from",  # more input tokens than this reprice the whole request; 0 = never
    "long_input",  # times all input
    "long_output",
    "fast",  # times all tokens; 1 = the model has no fast mode
    "us",  # times all tokens where inference stays in the US
    "search",  # dollars per 1,000 web searches
)
(
    SINCE, INPUT, OUTPUT, CACHE_READ, WRITE_5M, WRITE_1H, LONG_FROM, LONG_INPUT, LONG_OUTPUT, FAST,
    US, SEARCH,
) = range(len(COLUMNS))  # fmt: skip

UNKNOWN: Row = (0, 10, 50, 1, 1.25, 2, 0, 1, 1, 2, 1.1, 10)  # when not even the family is known
SYNTHETIC = "<synthetic>"  # Claude Code's own message about an API error
MAX_TOKENS = 10**8  # of one response: a hundred times the largest context there is
MAX_TOKENS_OF_SUMS = 10**10  # of all responses since a harness's running sums were last read
MAX_DOLLARS = 1e4  # of one response, as a harness computes it
MAX_SEARCHES = 10**4  # of one response
FLEX, ULTRAFAST = 0.5, 6.0  # OpenAI's other service tiers, the same for every model that has them


class Usage:
    """The tokens of one response, each counted once; every transcript reader maps onto it.

    `input` is what was neither read from nor written to a cache: OpenAI's, Gemini's, Qwen's and
    Copilot's input counts include the cached part, Claude's do not. `output` includes reasoning.
    Cache writes of unknown lifetime are `cache_write_5m`. `speed` is Claude's `speed` or OpenAI's
    service tier; `us` is Claude's `inference_geo == "us"`. `dollars` is what the harness has computed
    itself, None where it does not: then the price table says. `replied` is the model that the reply
    names, where it is another than was asked for. `parts`: (model, usage) of each request that this one
    response is made of, where they are billed one by one; "" is the model of the whole.
    """

    __slots__ = (
        "cache_read",
        "cache_write_1h",
        "cache_write_5m",
        "dollars",
        "input",
        "output",
        "parts",
        "replied",
        "speed",
        "us",
        "web_searches",
    )

    def __init__(
        self,
        input: float = 0,
        output: float = 0,
        cache_read: float = 0,
        cache_write_5m: float = 0,
        cache_write_1h: float = 0,
        web_searches: float = 0,
        speed: str = "",
        us: bool = False,
        dollars: float | None = None,
        replied: str = "",
        parts: tuple[tuple[str, Usage], ...] = (),
    ) -> None:
        self.input = input
        self.output = output
        self.cache_read = cache_read
        self.cache_write_5m = cache_write_5m
        self.cache_write_1h = cache_write_1h
        self.web_searches = web_searches
        self.speed = speed
        self.us = us
        self.dollars = dollars
        self.replied = replied
        self.parts = parts

    def is_plausible(self, most_tokens: int = MAX_TOKENS) -> bool:
        """Tell whether this much can have been used; damaged records say anything."""
        if self.parts:
            return all(part.is_plausible(most_tokens) for _, part in self.parts)
        tokens = prompt_size(self) + self.output
        searches, dollars = self.web_searches, self.dollars or 0
        return tokens <= most_tokens and searches <= MAX_SEARCHES and dollars <= MAX_DOLLARS


def price(row: Row, usage: Usage) -> float:
    """Return the dollars of one response at this row's prices."""
    written = usage.cache_write_5m * row[WRITE_5M] + usage.cache_write_1h * row[WRITE_1H]
    input_cost = (usage.input + written) * row[INPUT] + usage.cache_read * row[CACHE_READ]
    output_cost = usage.output * row[OUTPUT]
    if row[LONG_FROM] and prompt_size(usage) > row[LONG_FROM]:
        input_cost *= row[LONG_INPUT]
        output_cost *= row[LONG_OUTPUT]
    factor = speed_factor(row, usage.speed) * (row[US] if usage.us else 1)
    return (input_cost + output_cost) * factor / 1e6 + usage.web_searches * row[SEARCH] / 1e3


def prompt_size(usage: Usage) -> float:
    """Return all input tokens, cached or not."""
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def speed_factor(row: Row, speed: str) -> float:
    """Return what a speed or service tier multiplies the price by."""
    if speed in ("fast", "priority"):
        return row[FAST]
    if speed == "flex":
        return FLEX
    return ULTRAFAST if speed == "ultrafast" else 1
