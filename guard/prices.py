"""What a response cost: the generated price table and the rules that every row follows.

The unit of prices is dollars per million tokens. Where the rules come from: docs/prices.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Sequence[float]
    Periods = Sequence[Row]  # the newest price first, the last one since 0
    Table = Mapping[str, Periods]

COLUMNS = (
    "since",  # Unix time from which this price holds
    "input",
    "output",
    "cache_read",
    "write_5m",  # times the input price
    "write_1h",
    "long_from",  # more tokens than this going in reprice the whole request; 0 = never
    "long_input",  # times all that goes in
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
FLEX, ULTRAFAST = 0.5, 6.0  # OpenAI's other service tiers, the same for every model that has them

LONGEST = 100  # characters of a model's name that are looked at
SEPARATORS = str.maketrans(".:@[] ", "------")
# What may follow a name without changing its price; dates and revisions are recognised as numbers.
SUFFIXES = frozenset(
    [
        "latest",
        "preview",
        "exp",
        "experimental",
        "customtools",
        "chat",
        "codex",
        "thinking",
        "reasoning",
        "none",
        "minimal",
        "low",
        "medium",
        "high",
        "xhigh",
        "max",
        "1m",
        "120b",
        "20b",
        "free",
        "cloud",
    ]
)


class Usage:
    """Tokens of one response, each counted once; the readers of transcripts map onto it.

    `input` is what was neither read from nor written to a cache: OpenAI's, Gemini's, Qwen's and
    Copilot's input counts include the cached part, Claude's do not. `output` includes reasoning.
    Cache writes of unknown lifetime are `cache_write_5m`. `speed` is Claude's `speed` or OpenAI's
    service tier; `us` is Claude's `inference_geo == "us"`.
    """

    __slots__ = (
        "cache_read",
        "cache_write_1h",
        "cache_write_5m",
        "input",
        "output",
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
    ) -> None:
        self.input = input
        self.output = output
        self.cache_read = cache_read
        self.cache_write_5m = cache_write_5m
        self.cache_write_1h = cache_write_1h
        self.web_searches = web_searches
        self.speed = speed
        self.us = us


def cost(
    model: str, usage: Usage, when: float, overrides: Table | None = None
) -> tuple[float, bool]:
    """Dollars, and whether the model is known; an unknown one is as dear as the dearest like it.

    `when` is the Unix time of the response, `overrides` the user's own rows, which win.
    """
    if model == SYNTHETIC:
        return 0.0, True
    row, known = find(model, when, overrides)
    return price(row, usage), known


def price(row: Row, usage: Usage) -> float:
    """Dollars of one response at this row's prices."""
    written = usage.cache_write_5m * row[WRITE_5M] + usage.cache_write_1h * row[WRITE_1H]
    going_in = (usage.input + written) * row[INPUT] + usage.cache_read * row[CACHE_READ]
    coming_out = usage.output * row[OUTPUT]
    if row[LONG_FROM] and prompt_size(usage) > row[LONG_FROM]:
        going_in *= row[LONG_INPUT]
        coming_out *= row[LONG_OUTPUT]
    factor = speed_factor(row, usage.speed) * (row[US] if usage.us else 1)
    return (going_in + coming_out) * factor / 1e6 + usage.web_searches * row[SEARCH] / 1e3


def prompt_size(usage: Usage) -> float:
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def speed_factor(row: Row, speed: str) -> float:
    if speed in ("fast", "priority"):
        return row[FAST]
    if speed == "flex":
        return FLEX
    return ULTRAFAST if speed == "ultrafast" else 1


def find(model: str, when: float, overrides: Table | None = None) -> tuple[Row, bool]:
    """The row that prices this model at that time, and whether it is the model's own."""
    from .price_table import PRICES  # only when there is something to price

    periods = (overrides and lookup(key(model), overrides)) or PRICES.get(model)
    periods = periods or lookup(key(model), PRICES)
    if periods:
        return active(periods, when), True
    return dearest(key(model), PRICES, when), False


def active(periods: Periods, when: float) -> Row:
    for row in periods:
        if when >= row[SINCE]:
            return row
    return periods[-1]


def key(model: str) -> str:
    """The spelling of the table: no path, dashes only, Claude's family before its version.

    `openrouter/anthropic/claude-4.5-opus` is `claude-opus-4-5`; suffixes stay.
    """
    name = model[-LONGEST:].rpartition("/")[2].lower().translate(SEPARATORS)
    words = [word for word in name.split("-") if word]
    if "claude" in words:
        start = end = words.index("claude") + 1
        while end < len(words) and words[end].isdigit() and len(words[end]) < 3:
            end += 1
        if start < end < len(words) and words[end].isalpha():
            words.insert(start, words.pop(end))
    return "-".join(words)


def lookup(name: str, table: Table) -> Periods | None:
    """The longest row name in `name` behind which nothing follows that could change the price."""
    words = name.split("-")
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            periods = table.get("-".join(words[start:end]))
            if periods and _only_suffixes(words[end:]):
                return periods
    return None


def _only_suffixes(words: list[str]) -> bool:
    """A short number right behind the name is another version: gpt-5 is not gpt-5.5."""
    if words and words[0].isdigit() and len(words[0]) < 4 and words[0] != "0":
        return False
    for word in words:
        if not (word.isdigit() or word in SUFFIXES or (word[0] == "v" and word[1:].isdigit())):
            return False
    return True


def dearest(name: str, table: Table, when: float) -> Row:
    """The dearest row of the same family, that is with the most words in common.

    A name made of known words only (`gpt-7`) is not taken for a kind it does not name (`gpt-5-pro`).
    """
    words = {word for word in name.split("-") if not word.isdigit() and word not in SUFFIXES}
    best, best_score = UNKNOWN, (0, 0, 0.0)
    for candidate, periods in table.items():
        parts = candidate.split("-")
        if parts[0] not in words:
            continue
        family = {part for part in parts if not part.isdigit()}
        shared = len(family & words)
        row = active(periods, when)
        score = (shared, shared - len(family) if shared == len(words) else 0, row[OUTPUT])
        if score > best_score:
            best, best_score = row, score
    return best
