"""Streams of JSON lines and the few conversions that every log format needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

Record = dict[str, Any]

MAX_COUNT = 1e12  # tokens or dollars
MILLISECONDS = 1e11  # larger times are no seconds
LATEST = 1e14


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, ends included."""
    with path.open("rb") as file:
        yield from file


def records(path: Path) -> Iterator[Record]:
    """The objects of a JSON-lines file in order; torn, foreign and non-object lines are skipped."""
    for line in lines(path):
        value = parsed(line)
        if isinstance(value, dict):
            yield value


def parsed(text: str | bytes) -> Any:
    """The JSON value of this text; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def seconds(value: Any) -> float:
    """Unix time of an ISO 8601 text, of seconds or of milliseconds; 0.0 when it is none of them."""
    if isinstance(value, (int, float)):
        time = float(value) if 0 < value < LATEST else 0.0
        return time / 1000 if time > MILLISECONDS else time
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return 0.0


def objects(value: Any) -> list[Record]:
    """The objects of a JSON list; anything else counts as an empty list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def members(value: Any) -> Record:
    """A JSON object; anything else counts as an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(content: Any) -> str:
    """The text of a content field: a string, or a list of blocks with a `text` each."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in objects(content))


def count(value: Any) -> int:
    """A number of tokens; what cannot be one is 0."""
    return int(value) if _is_amount(value) else 0


def money(value: Any) -> float | None:
    """Dollars by the harness's own reckoning; None where it kept none, or nothing sensible."""
    return float(value) if _is_amount(value) else None


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < MAX_COUNT
