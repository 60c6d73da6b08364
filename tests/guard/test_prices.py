"""Dollars against sums done by hand from the vendors' published prices, and against genai-prices."""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from runaway.guard import price_table, prices
from runaway.guard import usage as usage_rules
from runaway.guard.prices import cost, find
from runaway.guard.usage import Usage
from tools.price_models import EXCEPTIONS, MODELS, Model

GUARD = Path(prices.__file__).parent
OLDEST = 9  # of Python 3
MILLION = 1_000_000


def at(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


NOW = at("2026-11-30")


def costs(
    dollars: float,
    model: str,
    usage: Usage,
    when: float = NOW,
    *,
    overrides: prices.Table | None = None,
    known: bool = True,
) -> bool:
    computed, is_known = cost(model, usage, when, overrides)
    return computed == pytest.approx(dollars, rel=1e-9, abs=1e-15) and is_known is known


# Each expected number is the arithmetic of a published price, in dollars per million tokens.
BY_HAND = {
    "input and output": ("claude-opus-5-5", Usage(100_000, 10_000), 0.1 * 4 + 0.01 * 20),
    "a cache read is cheap": ("claude-opus-5-5", Usage(cache_read=100_000), 0.1 * 0.20),
    "five-minute cache writes cost 1.25": (
        "claude-opus-5-5",
        Usage(cache_write_5m=100_000),
        0.1 * 5,
    ),
    "one-hour cache writes cost 2": ("claude-opus-5-5", Usage(cache_write_1h=100_000), 0.1 * 8),
    "everything at once": (
        "claude-sonnet-5-5",
        Usage(2_000, 3_000, 80_000, 5_000, 1_000, 2),
        (2_000 * 2 + 3_000 * 10 + 80_000 * 0.10 + 5_000 * 2.5 + 1_000 * 4) / MILLION + 2 * 0.01,
    ),
    "fast doubles opus 5.5": (
        "claude-opus-5-5",
        Usage(100_000, 10_000, 50_000, speed="fast"),
        0.1 * 8 + 0.01 * 40 + 0.05 * 0.40,
    ),
    "fast is six times opus 4.6": (
        "claude-opus-4-6",
        Usage(100_000, 10_000, speed="fast"),
        0.1 * 30 + 0.01 * 150,
    ),
    "standard speed changes nothing": (
        "claude-opus-5-5",
        Usage(100_000, speed="standard"),
        0.1 * 4,
    ),
    "no fast mode, no surcharge": ("claude-haiku-4-5", Usage(100_000, speed="fast"), 0.1 * 1),
    "inference in the US costs a tenth more": (
        "claude-opus-5-5",
        Usage(100_000, 10_000, us=True),
        (0.1 * 4 + 0.01 * 20) * 1.1,
    ),
    "fast in the US multiplies both": (
        "claude-opus-5",
        Usage(100_000, speed="fast", us=True),
        0.1 * 5 * 2 * 1.1,
    ),
    "before opus 4.6 the place was free": ("claude-opus-4-5", Usage(100_000, us=True), 0.1 * 5),
    "a web search costs a cent": ("claude-opus-5-5", Usage(web_searches=1), 0.01),
    "searches have no US surcharge": ("claude-opus-5-5", Usage(web_searches=1, us=True), 0.01),
    "a Gemini search costs 1.4 cents": ("gemini-3.8-flash", Usage(web_searches=1), 0.014),
    "haiku at its threshold": ("claude-haiku-5-5", Usage(100_000, 1_000), 0.01 + 0.0005),
    "haiku above it, the whole request": (
        "claude-haiku-5-5",
        Usage(100_001, 1_000),
        100_001 * 0.5 / MILLION + 0.0025,
    ),
    "the threshold counts cached input too": (
        "claude-haiku-5-5",
        Usage(1_000, 1_000, 60_000, 30_000, 10_000),
        (1_000 * 0.5 + 1_000 * 2.5 + 60_000 * 0.05 + 30_000 * 0.625 + 10_000 * 1) / MILLION,
    ),
    "GPT above 272,000": (
        "gpt-6-sol",
        Usage(200_000, 10_000, 100_000),
        0.2 * 4 + 0.01 * 15 + 0.1 * 0.4,
    ),
    "Gemini pro above 200,000": ("gemini-2.5-pro", Usage(250_000, 1_000), 0.25 * 2.5 + 0.015),
    "GPT cache writes": ("gpt-6-sol", Usage(cache_write_5m=100_000), 0.1 * 2.5),
    "OpenAI's priority tier": ("gpt-5.5", Usage(100_000, speed="priority"), 0.1 * 12.5),
    "priority of a small one": ("gpt-5-mini", Usage(100_000, speed="fast"), 0.1 * 0.45),
    "flex is half": ("gpt-6-sol", Usage(100_000, 10_000, speed="flex"), 0.1 * 1 + 0.01 * 5),
    "ultrafast is six times": ("gpt-6.1-sol", Usage(100_000, speed="ultrafast"), 0.1 * 12),
    "no discount for cached input": ("gpt-5.5-pro", Usage(cache_read=100_000), 0.1 * 30),
    "an error message of Claude Code": ("<synthetic>", Usage(100_000, 100_000), 0.0),
    "nothing used": ("claude-opus-5-5", Usage(), 0.0),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_dollars_are_those_of_the_published_prices(case: str) -> None:
    model, usage, dollars = BY_HAND[case]
    assert costs(dollars, model, usage)


CHANGES = {
    "the day before": ("gemini-4-argon", "2026-11-30T23:59:59", 2.0),
    "announced, from its first second": ("gemini-4-argon", "2026-12-01", 4.0),
    "long after": ("gemini-4-argon", "2029-01-01", 4.0),
    "before a price cut": ("gpt-5.6", "2026-08-20", 5.0),
    "after a price cut": ("gpt-5.6", "2026-08-21", 4.0),
    "flash before 2027": ("gemini-3.7-flash", "2026-12-31", 0.75),
    "flash in 2027": ("gemini-3.7-flash", "2027-01-01", 1.5),
    "at the beginning of time": ("gpt-5.6", "1970-01-01", 5.0),
}


@pytest.mark.parametrize("case", CHANGES)
def test_the_price_is_the_one_of_that_day(case: str) -> None:
    model, day, dollars = CHANGES[case]
    assert costs(dollars / 10, model, Usage(100_000), at(day))


def test_a_tier_that_was_dropped_still_prices_the_past() -> None:
    long = Usage(300_000)
    assert costs(0.3 * 10, "claude-opus-4-6", long, at("2026-03-12"))
    assert costs(0.3 * 5, "claude-opus-4-6", long, at("2026-03-13"))


SAME = {
    "claude-opus-5-5[1m]": "claude-opus-5-5",
    "claude-opus-5": "claude-opus-5",
    "claude-opus-5-20260801": "claude-opus-5",
    "claude-opus-4-5-20251101": "claude-opus-4-5",
    "claude-opus-4-5@20251101": "claude-opus-4-5",
    "claude-opus-4-20250514": "claude-opus-4",
    "claude-opus-4-0": "claude-opus-4",
    "claude-opus-4.5": "claude-opus-4-5",
    "anthropic/claude-opus-4.5": "claude-opus-4-5",
    "openrouter/anthropic/claude-3.7-sonnet:thinking": "claude-sonnet-3-7",
    "claude-3-5-sonnet-20241022": "claude-sonnet-3-5",
    "claude-4.5-opus-high-thinking": "claude-opus-4-5",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "global.anthropic.claude-opus-4-6-v1": "claude-opus-4-6",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0": (
        "claude-haiku-4-5"
    ),
    "publishers/anthropic/models/claude-sonnet-4@20250514": "claude-sonnet-4",
    "CLAUDE-OPUS-5-5": "claude-opus-5-5",
    "gpt-5": "gpt-5",
    "gpt-5-2025-08-07": "gpt-5",
    "gpt-5-codex": "gpt-5",
    "gpt-5.1-codex-max": "gpt-5-1",
    "gpt-5.1-codex-mini": "gpt-5-1-codex-mini",
    "gpt-5.5": "gpt-5-5",
    "gpt-5-5": "gpt-5-5",
    "gpt-5.5-2026-04-23": "gpt-5-5",
    "openai/gpt-5.5-xhigh": "gpt-5-5",
    "gpt-5.5-pro": "gpt-5-5-pro",
    "gpt-5.6": "gpt-5-6",
    "gpt-6-sol": "gpt-6-sol",
    "gpt-6.1-sol": "gpt-6-1-sol",
    "gpt-oss:20b": "gpt-oss",
    "o3-2025-04-16": "o3",
    "o4-mini-high": "o4-mini",
    "models/gemini-3.8-flash": "gemini-3-8-flash",
    "gemini-2.5-flash-lite": "gemini-2-5-flash-lite",
    "gemini-2.5-flash-preview-09-2025": "gemini-2-5-flash",
    "gemini-2.5-pro-preview-05-06": "gemini-2-5-pro",
    "gemini-3.1-pro-preview-customtools": "gemini-3-1-pro",
    "z-ai/GLM-5.3": "glm-5-3",
    "glm-5.3-flash": "glm-5-3-flash",
    "qwen/qwen3.8-max-0902": "qwen3-8-max",
}


@pytest.mark.parametrize("spelling", SAME)
def test_a_spelling_finds_its_own_row(spelling: str) -> None:
    row, known = find(spelling, NOW)
    assert known
    assert row is prices.active(price_table.PRICES[SAME[spelling]], NOW)


LIKE = {
    "claude-opus-6": "claude-opus-4-1",
    "claude-haiku-6-5-20270101": "claude-haiku-4-5",
    "claude-sonnet-5-7": "claude-sonnet-4-6",
    "claude-fable-6": "claude-fable-5",
    "us.anthropic.claude-opus-9-v1:0": "claude-opus-4-1",
    "claude-novella-1": "claude-opus-4-1",
    "gpt-5.7": "gpt-5-5",
    "gpt-7": "gpt-5-5",
    "gpt-6.2-sol": "gpt-5-6-sol",
    "gpt-6.2-luna": "gpt-5-6-luna",
    "gpt-7-pro": "gpt-5-5-pro",
    "gpt-7-cyber": "gpt-6-astra",
    "gpt-5-image": "gpt-5",
    "gpt-5.3-codex-spark": "gpt-5-3",
    "gemini-5-flash": "gemini-3-5-flash",
    "gemini-2.5-flash-image": "gemini-2-5-flash",
    "grok-5": "grok-3",
}


@pytest.mark.parametrize("model", LIKE)
def test_an_unknown_model_costs_what_the_dearest_of_its_family_costs(model: str) -> None:
    row, known = find(model, NOW)
    assert not known
    dearest = prices.active(price_table.PRICES[LIKE[model]], NOW)
    assert row[usage_rules.OUTPUT] == dearest[usage_rules.OUTPUT]


@pytest.mark.parametrize(
    "model",
    [
        "deepseek/deepseek-r1:free",
        "minimax-m2.5-free",
        "ollama/qwen3-coder",
        "lmstudio/openai/gpt-5",
    ],
)
def test_a_model_that_is_named_free_or_runs_here_costs_nothing(model: str) -> None:
    assert costs(0.0, model, Usage(100_000, 10_000))


def test_the_users_price_holds_for_a_free_one_too() -> None:
    assert costs(0.1, "ollama/qwen3", Usage(100_000), overrides={"qwen3": [OWN]})


PROFILE = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"


def test_a_name_that_tells_nothing_is_priced_by_the_reply() -> None:
    """Public cases: anthropics/claude-code#27890, #80601."""
    assert costs(0.1, PROFILE, Usage(100_000, replied="claude-haiku-4-5-20251001"))
    assert costs(0.4, "claude-opus-5-5", Usage(100_000, replied="claude-haiku-4-5"))


def test_each_part_of_a_response_is_priced_by_its_own_model() -> None:
    parts = (("", Usage(100_000)), ("claude-haiku-4-5", Usage(100_000)))
    assert costs(0.4 + 0.1, "claude-opus-5-5", Usage(7, parts=parts))


@pytest.mark.parametrize(
    "model", ["", "/", "-", "default", "llama-4", "mock-model", "\ud800", "🙂"]
)
def test_without_any_family_a_model_costs_ten_and_fifty(model: str) -> None:
    assert costs(1.0 + 0.5, model, Usage(100_000, 10_000), known=False)


def test_an_absurdly_long_name_is_cut_before_it_is_searched() -> None:
    assert costs(1.0, "a-" * MILLION, Usage(100_000), known=False)


OWN: usage_rules.Row = (0, 1.0, 2.0, 0.5, 1, 1, 0, 1, 1, 1, 1, 0)


def test_the_users_price_wins() -> None:
    overrides = {"claude-opus-5-5": [OWN]}
    assert costs(0.1, "claude-opus-5-5", Usage(100_000), overrides=overrides)


def test_the_users_price_holds_for_every_spelling() -> None:
    overrides = {"gpt-5-5": [OWN]}
    assert find("openai/gpt-5.5-2026-04-23", NOW, overrides) == (OWN, True)


def test_the_users_price_is_not_taken_for_another_version() -> None:
    overrides = {"gpt-5": [OWN], "claude-opus-5": [OWN]}
    assert find("gpt-5.5", NOW, overrides) == find("gpt-5.5", NOW)
    assert find("claude-opus-5-5", NOW, overrides) == find("claude-opus-5-5", NOW)


def test_the_user_can_name_a_model_that_the_table_lacks() -> None:
    overrides = {"qwen3-coder": [(0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0)]}
    assert costs(0.0, "qwen3-coder:free", Usage(100_000, 1_000), overrides=overrides)
    assert costs(1.0, "llama-4", Usage(100_000), overrides=overrides, known=False)


@pytest.mark.parametrize("name", price_table.PRICES)
def test_every_row_is_whole(name: str) -> None:
    periods = price_table.PRICES[name]
    starts = [row[usage_rules.SINCE] for row in periods]
    assert starts == sorted(set(starts), reverse=True)
    assert starts[-1] == 0
    for row in periods:
        assert len(row) == len(usage_rules.COLUMNS)
        assert all(
            row[column] > 0
            for column in (usage_rules.INPUT, usage_rules.OUTPUT, usage_rules.CACHE_READ)
        )
        assert all(number >= 1 for number in row[usage_rules.LONG_INPUT : usage_rules.SEARCH])
    assert prices.key(name) == name


# What the table and genai-prices mean to differ in: the exceptions in tools/price_models.py, and
# these two, which have no fast mode for long prompts: the table multiplies by both factors.
NO_LONG_FAST = {"gpt-5-4", "gpt-5-5"}
OTHERWISE = {name for (name, _), choice in EXCEPTIONS.items() if choice.take == "litellm"}
SHARED = [model for model in MODELS if model.name not in OTHERWISE]
NO_WRITE_THERE = {"qwen3-8-flash"}
NO_FAST_THERE = {name for (name, field), _ in EXCEPTIONS.items() if field == "fast"}
FAST_KNOWN = at("2026-10-15")  # from when genai-prices knows what fast modes cost
SAMPLES = 200
SIZES = (0, 1, 5_000, 99_000, 150_000, 300_000)


@pytest.mark.parametrize("model", SHARED, ids=[model.name for model in SHARED])
def test_genai_prices_computes_the_same(model: Model) -> None:
    data = pytest.importorskip("genai_prices.data", reason="genai-prices is not installed")
    provider_id, _, model_id = model.genai.partition(":")
    provider = next(p for p in data.providers if p.id == provider_id)
    theirs = next(m for m in provider.models if m.id == model_id)
    source = random.Random(model.name)
    for _ in range(SAMPLES):
        moment = random_moment(source)
        usage = random_usage(source, model.name, moment)
        dollars = float(their_dollars(theirs, provider, usage, moment))
        assert costs(dollars, model.name, usage, moment.timestamp())


def random_moment(source: random.Random) -> datetime:
    """Always at two in the morning: the hour at which DeepSeek is dearest."""
    day = datetime(2025, 1, 1, 2, tzinfo=UTC) + timedelta(days=source.randrange(365))
    return day.replace(year=source.choice((2025, 2026, 2026, 2027)))


def random_usage(source: random.Random, name: str, moment: datetime) -> Usage:
    row = find(name, moment.timestamp())[0]
    counts = [source.choice(SIZES) + source.randrange(100) for _ in range(3)]
    usage = Usage(counts[0], counts[1], counts[2])
    if row[usage_rules.WRITE_5M] != 1 and name not in NO_WRITE_THERE:
        usage.cache_write_5m = source.choice(SIZES)
    if row[usage_rules.WRITE_1H] != row[usage_rules.WRITE_5M]:
        usage.cache_write_1h = source.choice(SIZES)
    long = name in NO_LONG_FAST and usage_rules.prompt_size(usage) > row[usage_rules.LONG_FROM]
    if moment.timestamp() >= FAST_KNOWN and name not in NO_FAST_THERE and not long:
        usage.speed = source.choice(("", "fast"))
    return usage


def their_dollars(theirs: Any, provider: Any, usage: Usage, moment: datetime) -> Any:
    from genai_prices import Usage as TheirUsage

    fast = {"speed": "fast", "service_tier": "priority"} if usage.speed == "fast" else None
    counted = TheirUsage(
        input_tokens=usage_rules.prompt_size(usage),
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write_5m + usage.cache_write_1h,
        cache_write_1h_tokens=usage.cache_write_1h,
    )
    return theirs.calc_price(
        counted, provider, genai_request_timestamp=moment, price_context=fast
    ).total_price


PROGRAM = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
from guard.prices import cost
from guard.usage import Usage
idle = set(sys.modules) - before
usage = Usage(250_001, 999, 31, 7, 5, 3, "fast", True)
names = ("claude-opus-5-5", "gpt-5.5-2026-04-23", "gemini-4-argon", "claude-opus-9", "x")
dollars = [cost(name, usage, 1796083200.0) for name in names]
print((idle, set(sys.modules) - before, dollars))
"""
IDLE = {"__future__", "guard", "guard.prices", "guard.usage"}


def interpreters() -> list[str]:
    """Every CPython from 3.9 on: those on PATH, and those that pyenv keeps behind its shims."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    names = [f"python3.{minor}" for minor in range(OLDEST, 20)]
    found = [path for name in names if (path := shutil.which(name)) and "shims" not in path]
    return found + [str(path) for name in names for path in sorted(kept.glob(f"*/bin/{name}"))]


def run(python: str, folder: Path) -> tuple[set[str], set[str], list[tuple[float, bool]]]:
    """Modules loaded by the import and by pricing something, and the prices."""
    command = [python, "-I", "-S", "-B", "-c", PROGRAM, str(folder)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    idle, used, dollars = ast.literal_eval(output)
    return idle, used, dollars


def test_every_python_imports_nothing_else_and_computes_the_same(tmp_path: Path) -> None:
    (tmp_path / "guard").symlink_to(GUARD)
    _, _, dollars = run(sys.executable, tmp_path)
    assert [known for _, known in dollars] == [True, True, True, False, False]
    for python in interpreters():
        assert run(python, tmp_path) == (IDLE, {*IDLE, "guard.price_table"}, dollars), python
