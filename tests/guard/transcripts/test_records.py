from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaway.guard import words
from runaway.guard.transcripts import MARKER, PROMPT
from runaway.guard.transcripts.records import count, dated, parse, seconds
from tests.guard.transcripts.records import NOON

if TYPE_CHECKING:
    from runaway.guard.state import Event


def test_the_marker_is_the_one_that_the_guard_writes() -> None:
    assert MARKER == words.MARKER


@given(st.floats(4e7, 1.3e10))
def test_times_are_those_of_the_standard_library(moment: float) -> None:
    stamp = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    assert seconds(stamp.replace("+00:00", "Z")) == pytest.approx(moment, abs=0.002)


@pytest.mark.parametrize(
    "stamp",
    [
        None,
        7,
        "",
        "yesterday",
        [],
        {},
        "2026-11-30",
        "2026-11-30T10:00:nan",
        "2026-11-30T99:00:00Z",
        "2026-11-30T10:00:00+0x:00",
        "2026-11-30T10:00:00+",
    ],
)
def test_what_is_no_time_is_zero(stamp: Any) -> None:
    assert seconds(stamp) == 0.0


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-11-30T10:00:00.5Z",
        "2026-11-30T12:00:00.5+02:00",
        "2026-11-30T12:00:00.5+0200",
        "2026-11-30T12:00:00.5+02",
        "2026-11-30T00:30:00.5-09:30",
        "2026-12-01T00:00:00.5+14:00",
        "2026-11-30 10:00:00.5",
    ],
)
def test_an_offset_counts(stamp: str) -> None:
    assert seconds(stamp) == datetime(2026, 11, 30, 10, 0, 0, 500_000, UTC).timestamp()


@pytest.mark.parametrize("time", [0.0, 12.5, 3e9, 1e14, float("nan"), float("inf")])
def test_an_event_without_a_believable_time_has_that_of_its_reading(time: float) -> None:
    assert dated((PROMPT, time, "id", True), NOON) == (PROMPT, NOON, "id", True)
    then: Event = (PROMPT, NOON - 1e7, "id", True)
    assert dated(then, NOON) == then


@pytest.mark.parametrize("value", [None, True, -1, "7", 1.5, float("nan"), 10**30, [], {}])
def test_what_is_no_number_of_tokens_is_zero(value: Any) -> None:
    assert count(value) == 0


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"a":', id="torn"),
        pytest.param(b"[1]", id="no object"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b'{"a":1}{"b":2}', id="two objects on one line"),
        pytest.param(b'{"a":' + b"[" * 100_000, id="deeper than any parser goes"),
    ],
)
def test_a_line_that_is_no_object_is_empty(line: bytes) -> None:
    assert parse(line) == {}


def test_bytes_that_are_no_text_are_kept_as_surrogates() -> None:
    assert parse(b'{"a":"\xed\xa0\xbd"}') == {"a": "\udced\udca0\udcbd"}
