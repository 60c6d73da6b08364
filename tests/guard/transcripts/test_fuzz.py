"""Whatever stands in a log, the readers tell what they can and never fail."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.fastjson import dumps, loads
from runaway.guard.transcripts import accounts, claude, codex, copilot, droid, gemini, grok, qwen
from tests.guard.transcripts.records import (
    CLAUDE,
    CODEX,
    COPILOT,
    DROID,
    GEMINI,
    GROK,
    QWEN,
    price,
)

ROUNDS = 1500
ODD: list[Any] = [
    None, True, False, 0, -1, 10**40, 1e308, float("nan"), float("inf"), "", "x", "\ud83d", "\u2028", [],
    {}, [[]], [None], [{}], {"type": "text"}, {"text": 1}, "2026-11-30T99:99:99Z", "assistant", "user",
]  # fmt: skip


def lines_of(folder: Path) -> list[bytes]:
    return [
        text
        for path in sorted(folder.rglob("*.jsonl"))
        for text in path.read_bytes().split(b"\n")
        if text
    ]


def mutated(text: bytes, chance: random.Random) -> bytes:
    """The line with a value replaced, a key dropped, or bytes damaged."""
    if chance.random() < 0.3:
        return damaged(text, chance)
    record = json.loads(text)
    for _ in range(chance.randint(1, 3)):
        spots = list(containers(record))
        if not spots:
            break
        container, key = chance.choice(spots)
        if chance.random() < 0.2 and isinstance(container, dict):
            container.pop(key, None)
        elif chance.random() < 0.1:
            container[key] = nested(chance.choice([10, 500, 5000]))
        else:
            container[key] = copy.deepcopy(chance.choice(ODD))
    try:
        return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except RecursionError:
        return text


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def containers(value: Any) -> Iterator[tuple[Any, Any]]:
    stack = [value]
    while stack:
        value = stack.pop()
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in list(items):
            yield value, key
            if isinstance(item, (dict, list)) and item:
                stack.append(item)


def damaged(text: bytes, chance: random.Random) -> bytes:
    data = bytearray(text)
    for _ in range(chance.randint(1, 20)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data[: chance.randint(0, len(data))] if chance.random() < 0.5 else data)


@pytest.mark.parametrize(
    ("reader", "folder"),
    [
        (claude, CLAUDE),
        (codex, CODEX),
        (gemini, GEMINI),
        (copilot, COPILOT),
        (qwen, QWEN),
        (droid, DROID),
        (grok, GROK),
    ],
    ids=["claude", "codex", "gemini", "copilot", "qwen", "droid", "grok"],
)
@pytest.mark.parametrize("usage_only", [False, True], ids=["all", "money"])
def test_no_line_makes_a_reader_fail(reader: Any, folder: Path, usage_only: bool) -> None:
    originals = lines_of(folder)
    chance = random.Random(4)
    memory: Any = {}
    account: Any = {}
    accounts.load(account)
    told = 0
    for _ in range(ROUNDS):
        text = mutated(chance.choice(originals), chance)
        for event in reader.events([text], memory, usage_only):
            told += 1
            assert isinstance(event[1], float)
            assert accounts.add(account, event, price) >= 0
        memory = loads(dumps(memory))
    accounts.dump(account)
    assert bool(accounts.total(loads(dumps(account)))) is not hasattr(reader, "sidecar_events")
    assert told > ROUNDS / 100
