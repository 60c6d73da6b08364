from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.replay.readers.lines import count, records, seconds, text_of

INSTANT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-02T03:04:05Z", INSTANT),
        ("2026-01-02T03:04:05.000+00:00", INSTANT),
        (INSTANT, INSTANT),
        (INSTANT * 1000, INSTANT),
        ("yesterday", 0.0),
        (None, 0.0),
        ([], 0.0),
    ],
)
def test_times_of_all_logs_become_seconds(value: Any, expected: float) -> None:
    assert seconds(value) == expected


def test_bad_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(
        b'{"a":1}\n[2]\nnot json\n\xff\n\n{"b":"\xe2\x80\xa8"}\n' + b"[" * 9999 + b'\n{"c'
    )
    assert list(records(path)) == [{"a": 1}, {"b": "\u2028"}]


def test_the_text_of_a_result_is_that_of_its_blocks() -> None:
    assert text_of("x") == "x"
    assert text_of([{"type": "text", "text": "x"}, {"type": "image"}, "y"]) == "x\n"
    assert text_of(None) == ""


@pytest.mark.parametrize(("value", "expected"), [(7, 7), (7.0, 7), (None, 0), ("7", 0), (True, 0)])
def test_what_is_no_number_counts_as_no_token(value: Any, expected: int) -> None:
    assert count(value) == expected
