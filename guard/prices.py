"""Find the price of a model by its name: in the user's own rows, or in the generated table."""

from __future__ import annotations

from .usage import OUTPUT, SINCE, SYNTHETIC, UNKNOWN, price

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .usage import Row, Usage

    Periods = Sequence[Row]  # the newest price first, the last one since 0
    Table = Mapping[str, Periods]

MAX_NAME_CHARACTERS = 100  # characters of a model's name that are looked at
FREE: Row = (0,) * 12
LOCAL_PROVIDERS = frozenset(("ollama", "lmstudio", "llamacpp", "llama.cpp", "local"))
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
        "cloud",
    ]
)


def cost(
    model: str, usage: Usage, when: float, overrides: Table | None = None
) -> tuple[float, bool]:
    """Return dollars, and whether the model is known; an unknown one costs what the dearest like it does.

    `when` is the Unix time of the response, `overrides` the user's own rows, which win.
    """
    if model == SYNTHETIC:
        return 0.0, True
    if usage.parts:
        costs = [cost(part or model, used, when, overrides) for part, used in usage.parts]
        return sum(dollars for dollars, _ in costs), all(known for _, known in costs)
    row, known = find_billed(model, usage.replied, when, overrides)
    return price(row, usage), known


def find_billed(
    model: str, replied: str, when: float, overrides: Table | None = None
) -> tuple[Row, bool]:
    """Find the row of the model that was asked for, or else of the one that replied.

    A request may name a model by an address that tells nothing, such as a profile of Bedrock.
    """
    row, known = find(model, when, overrides)
    if known or not replied:
        return row, known
    return find(replied, when, overrides)


def find(model: str, when: float, overrides: Table | None = None) -> tuple[Row, bool]:
    """Return the row that prices this model at that time, and whether it is the model's own."""
    from .price_table import PRICES  # only when there is something to price

    periods = (overrides and lookup(key(model), overrides)) or PRICES.get(model)
    if not periods and is_free(model):
        return FREE, True
    periods = periods or lookup(key(model), PRICES)
    if periods:
        return active(periods, when), True
    periods = beginning(key(model), PRICES)
    return active(periods, when) if periods else dearest(key(model), PRICES, when), False


def is_free(model: str) -> bool:
    """Tell whether a model costs nothing: its name says so, or it runs on the machine itself."""
    provider, slash, name = model.lower().rpartition("/")
    free = name.endswith((":free", "-free"))
    return free or bool(slash and not LOCAL_PROVIDERS.isdisjoint(provider.split("/")))


def beginning(name: str, table: Table) -> Periods | None:
    """Return the periods of the longest row that the name begins with: `gpt-5.3-codex-spark`."""
    words = name.split("-")
    for end in range(len(words) - 1, 1, -1):
        periods = table.get("-".join(words[:end]))
        if periods and not words[end].isdigit():  # `gpt-5-9` is no kind of `gpt-5`
            return periods
    return None


def active(periods: Periods, when: float) -> Row:
    """Return the row that was in force at a Unix time."""
    for row in periods:
        if when >= row[SINCE]:
            return row
    return periods[-1]


def key(model: str) -> str:
    """Spell a model's name as the table does: no path, dashes only, Claude's family before its version.

    `openrouter/anthropic/claude-4.5-opus` is `claude-opus-4-5`; suffixes stay.
    """
    name = model[-MAX_NAME_CHARACTERS:].rpartition("/")[2].lower().translate(SEPARATORS)
    words = [word for word in name.split("-") if word]
    if "claude" in words:
        start = end = words.index("claude") + 1
        while end < len(words) and words[end].isdigit() and len(words[end]) < 3:
            end += 1
        if start < end < len(words) and words[end].isalpha():
            words.insert(start, words.pop(end))
    return "-".join(words)


def lookup(name: str, table: Table) -> Periods | None:
    """Return the periods of the longest row name in `name` that no price-changing word follows."""
    words = name.split("-")
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            periods = table.get("-".join(words[start:end]))
            if periods and _only_suffixes(words[end:]):
                return periods
    return None


def _only_suffixes(words: list[str]) -> bool:
    """Tell whether these words leave the price as it is; a short first number is another version."""
    if words and words[0].isdigit() and len(words[0]) < 4 and words[0] != "0":
        return False
    for word in words:
        if not (word.isdigit() or word in SUFFIXES or (word[0] == "v" and word[1:].isdigit())):
            return False
    return True


def dearest(name: str, table: Table, when: float) -> Row:
    """Return the dearest row of the same family, that is with the most words in common.

    A name made of known words only (`gpt-7`) is not taken for a kind it does not name (`gpt-5-pro`).
    """
    words = {word for word in name.split("-") if not word.isdigit() and word not in SUFFIXES}
    best, best_score = UNKNOWN, (0, 0, 0.0)
    for candidate, periods in table.items():
        parts = candidate.split("-")
        if parts[0] not in words or ("pro" in parts and "pro" not in words):
            continue
        family = {part for part in parts if not part.isdigit()}
        shared = len(family & words)
        row = active(periods, when)
        score = (shared, shared - len(family) if shared == len(words) else 0, row[OUTPUT])
        if score > best_score:
            best, best_score = row, score
    return best
