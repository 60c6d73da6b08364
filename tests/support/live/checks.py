"""What the doctor finds wrong, in tests that let a session run past the guard on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

UNSEEN = (
    "fires.unseen"  # that such a session is told is what tests/installer/test_unguarded.py holds
)


def failed(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    return {row["check"] for row in rows if row["level"] == "error"} - {UNSEEN}
