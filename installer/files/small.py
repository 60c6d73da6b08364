"""Small files of other programs, read whole; what cannot be read is taken for empty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MAX_BYTES = 1 << 20


def text(path: Path, largest: int = MAX_BYTES) -> str:
    """Of a regular file, links followed; "" for everything else, and for one of more bytes."""
    try:
        if path.is_file() and path.stat().st_size <= largest:
            return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        pass
    return ""


def json_object(path: Path) -> dict[str, Any]:
    """Its members; none where it holds anything but an object."""
    try:
        value = json.loads(text(path))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
