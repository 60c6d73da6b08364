"""Lengths of time in the words of people: `30m` as they type it, `3 minutes` as they read it."""

from __future__ import annotations

import re

from .errors import Refusal

CENTURY = 36525 * 86400  # seconds
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MAX_SECONDS = 30 * 86400


def age(seconds: float) -> str:
    """`3 minutes`, `2 hours`: as exact as a person wants it; at most a century."""
    seconds = min(seconds, CENTURY)
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return _counted(int(seconds // size), unit)
    return _counted(max(0, int(seconds)), "second")


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def seconds(duration: str) -> float:
    """`30m`, `2h`, `90s`, `1d` in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", duration.strip())
    length = float(match[1]) * UNITS[match[2]] if match else 0.0
    if not 0 < length <= MAX_SECONDS:
        text = f"{duration!r} is no duration; write 30m, 2h or 1d (at most 30d)."
        raise Refusal(text, code="duration", usage=True)
    return length
