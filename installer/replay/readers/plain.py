"""Plain JSON lines: any other trajectory, after a small conversion. The format: docs/replay.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import cast

from ....guard.call import EDIT, OTHER, SHELL, SPAWN, WEB
from ....guard.usage import Usage
from ..events import (
    CallMade,
    Event,
    Outcome,
    Prompt,
    Response,
    Session,
    Stream,
    result,
)
from .lines import Record, count, money, records, seconds, text_of

KINDS = frozenset((SHELL, SPAWN, WEB, EDIT, OTHER))
OUTCOMES = ("ok", "failed", "refused", "neutral")


def is_first(record: Record) -> bool:
    return record.get("type") in ("prompt", "call", "result", "usage")


def session(path: Path, first: Record) -> Session:
    """One file is one agent; `session` and `agent` of its first line name it."""
    id, agent = str(first.get("session", path.stem)), str(first.get("agent", ""))
    return Session("plain", id, agent, Stream(partial(_events, path, f"{id}/{agent}/")))


def _events(path: Path, scope: str) -> Iterator[Event]:
    """Without a time, lines are taken to be a second apart; ids need to be unique in a file only."""
    rounds: dict[str, str] = {}
    for number, record in enumerate(records(path)):
        time = seconds(record["time"]) if "time" in record else float(number)
        id = scope + str(record.get("id", number))
        match record.get("type"):
            case "prompt":
                yield Prompt(time, bool(record.get("human", True)), id)
            case "call":
                rounds[id] = str(record.get("round", ""))
                yield _call(record, time, id)
            case "result":
                text, outcome = text_of(record.get("text")), record.get("outcome")
                known = cast(Outcome, outcome if outcome in OUTCOMES else "ok")
                yield result(time, id, known, text, rounds.pop(id, ""))
            case "usage":
                yield _usage(record, time, id)


def _call(record: Record, time: float, id: str) -> CallMade:
    kind = str(record.get("kind", OTHER))
    return CallMade(
        time,
        id,
        str(record.get("tool", "")),
        kind if kind in KINDS else OTHER,
        record.get("arguments"),
        str(record.get("cwd", "")),
        str(record.get("round", "")),
    )


def _usage(record: Record, time: float, id: str) -> Response:
    usage = Usage(
        count(record.get("input")),
        count(record.get("output")),
        count(record.get("cache_read")),
        count(record.get("cache_write_5m")),
        count(record.get("cache_write_1h")),
        dollars=money(record.get("dollars")),
    )
    return Response(time, id, str(record.get("model", "")), usage)
