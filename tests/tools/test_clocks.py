from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools import clocks

NOW = datetime(2026, 12, 1, 3, 11, 58, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "local"),
    [("late", "2028-01-05 23:59"), ("early", "2026-12-02 00:01"), ("change", "2027-03-13 23:59")],
)
def test_a_clock_begins_where_its_name_says(name: str, local: str) -> None:
    clock = clocks.clocks(NOW)[name]
    told = datetime.fromtimestamp(clock.start, ZoneInfo(clock.zone))
    assert f"{told:%Y-%m-%d %H:%M}" == local


@pytest.mark.parametrize("now", [NOW + timedelta(days=days, hours=5) for days in range(0, 400, 37)])
@pytest.mark.parametrize("zone", ["America/Havana", "Europe/Berlin", "Australia/Lord_Howe"])
def test_the_next_change_is_the_minute_at_which_the_offset_changes(
    now: datetime, zone: str
) -> None:
    change = clocks.next_change(now, zone)
    before, after = (datetime.fromtimestamp(change + s, ZoneInfo(zone)) for s in (-1, 0))
    assert before.utcoffset() != after.utcoffset()
    assert before > now


def test_a_library_that_shifts_nothing_is_not_used(tmp_path: Path) -> None:
    assert not clocks.works(tmp_path / "no library")


@pytest.mark.parametrize("required", ["0", "1"])
def test_without_a_library_no_test_runs_and_that_may_be_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], required: str
) -> None:
    monkeypatch.setattr(clocks, "libraries", lambda: iter(()))
    monkeypatch.setenv("RUNAWAY_REQUIRE_LIVE", required)
    assert clocks.main([]) == int(required)
    assert "no test ran" in capsys.readouterr().out


@pytest.mark.parametrize("path", [*clocks.CLOCKWORK, *clocks.BRIEF])
def test_every_path_of_the_clockwork_is_there(path: str) -> None:
    assert (clocks.ROOT / path).exists()
