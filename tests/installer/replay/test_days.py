from __future__ import annotations

import time

import pytest

from runaway.installer.replay.days import Days


@pytest.fixture(autouse=True)
def tokyo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()


def at(clock: str) -> float:
    return time.mktime(time.strptime(f"2026-01-{clock}", "%Y-%m-%d %H:%M"))


def test_money_is_kept_per_local_day_and_project() -> None:
    days = Days()
    days.book(at("02 23:59"), "/a", 1.0)
    days.book(at("03 00:00"), "/a", 2.0)
    days.book(at("03 12:00"), "/b", 4.0)
    assert days.totals(at("02 00:00"), "/a") == (1.0, 1.0)
    assert days.totals(at("03 23:00"), "/a") == (2.0, 6.0)
    assert days.totals(at("04 00:00"), "/a") == (0, 0)
