"""Values of a settings file with comments and trailing commas, for which positions do not matter."""

from __future__ import annotations

import json
from typing import Any

import json5

MAX_BYTES = 1 << 18  # json5 takes some ten seconds for that


def values(data: bytes, wanted: tuple[str, ...]) -> dict[str, Any]:
    """What the file says; nothing where it names none of `wanted` or cannot be read.

    json5 is slow: it is asked for what plain JSON does not take, and only where that may matter.
    """
    if len(data) > MAX_BYTES or not any(name.encode() in data for name in wanted):
        return {}
    try:
        value = _parsed(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return json5.loads(text)
