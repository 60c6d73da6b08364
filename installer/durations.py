"""Numbers in the words of people."""

from __future__ import annotations

CENTURY = 36525 * 86400


def age(seconds: float) -> str:
    """`3 minutes`, `2 hours`: as exact as a person wants it; at most a century."""
    seconds = min(seconds, CENTURY)
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{max(0, int(seconds))} seconds"
