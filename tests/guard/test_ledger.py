from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.health import LARGEST as LARGEST_HEALTH_LOG
from runaway.guard.ledger import book, day_of, path_of, totals

NOW = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))
TODAY = "2026-11-30"


def spend(state: str, dollars: float, project: str = "/a", day: str = TODAY) -> None:
    book(state, day, "claude", "s", project, dollars)


def look(state: str, memory: dict[str, Any] | None = None, now: float = NOW) -> tuple[float, float]:
    return totals(state, now, "/a", {} if memory is None else memory)


def test_a_day_is_that_of_the_local_clock() -> None:
    assert day_of(NOW) == TODAY
    assert day_of(NOW + 12 * 3600) == "2026-12-01"


def test_projects_count_apart_and_the_machine_all_together(state: str) -> None:
    assert look(state) == (0.0, 0.0)
    spend(state, 1.5)
    spend(state, 2.25, "/b")
    spend(state, 8, day="2026-11-29")
    assert look(state) == (1.5, 3.75)
    assert totals(state, NOW, "/b", {}) == (2.25, 3.75)


def test_only_what_is_new_is_read(state: str) -> None:
    memory: dict[str, Any] = {}
    spend(state, 1)
    assert look(state, memory) == (1, 1)
    file = Path(path_of(state, TODAY))
    size = file.stat().st_size
    assert memory["offset"] == size
    file.write_bytes(b" " * size)
    spend(state, 2)
    assert look(state, memory) == (3, 3)


def test_a_new_day_starts_at_nothing(state: str) -> None:
    memory: dict[str, Any] = {}
    spend(state, 1)
    look(state, memory)
    spend(state, 4, day="2026-12-01")
    assert look(state, memory, NOW + 86400) == (4, 4)
    assert memory["day"] == "2026-12-01"


def test_a_line_that_is_still_being_written_waits(state: str) -> None:
    memory: dict[str, Any] = {}
    spend(state, 1)
    file = Path(path_of(state, TODAY))
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    assert look(state, memory) == (1, 1)
    file.write_bytes(whole * 2)
    assert look(state, memory) == (2, 2)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"dollars":"x","project":"/a"}',
        b"\xff\xfe",
        b"[" * 5000,
        b'{"dollars":NaN,"project":"/a"}',
        b'{"dollars":-9,"project":"/a"}',
    ],
)
def test_a_line_that_is_none_of_ours_is_passed_over(state: str, line: bytes) -> None:
    spend(state, 1)
    with Path(path_of(state, TODAY)).open("ab") as file:
        file.write(line + b"\n")
    spend(state, 2)
    assert look(state) == (3, 3)


def test_many_who_book_at_once_lose_nothing(state: str) -> None:
    with ThreadPoolExecutor(8) as workers:
        list(workers.map(lambda _: spend(state, 0.01), range(400)))
    assert look(state)[1] == pytest.approx(4.0)


def test_a_day_with_many_steps_is_counted_to_its_end(state: str) -> None:
    """A storm of hundreds of agents writes more than any other log may take."""
    spend(state, 1)
    file = Path(path_of(state, TODAY))
    line = file.read_bytes()
    file.write_bytes(line * (LARGEST_HEALTH_LOG // len(line) + 1))
    before = look(state)[1]
    spend(state, 5)
    assert look(state)[1] == before + 5


def test_more_than_is_read_at_once_comes_with_the_next_looks(state: str) -> None:
    spend(state, 1)
    file = Path(path_of(state, TODAY))
    line = file.read_bytes()
    count = 3 * (1 << 22) // len(line)
    file.write_bytes(line * count)
    memory: dict[str, Any] = {}
    for _ in range(4):
        look(state, memory)
    assert memory["machine"] == count


def test_a_link_in_its_place_is_not_followed(state: str, tmp_path: Path) -> None:
    spend(state, 1)
    file, victim = Path(path_of(state, TODAY)), tmp_path / "victim"
    file.rename(victim)
    file.symlink_to(victim)
    before = victim.read_bytes()
    spend(state, 2)
    assert victim.read_bytes() == before
    assert look(state) == (0, 0)
    assert "OSError" in (Path(state) / "health.log").read_text()


def test_the_ledger_is_for_its_owner_alone_and_one_json_object_a_line(state: str) -> None:
    spend(state, 0.1234567, "/\ud83d é")
    file = Path(path_of(state, TODAY))
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    [line] = file.read_bytes().splitlines()
    entry = {"dollars": 0.123457, "harness": "claude", "project": "/\ud83d é", "session": "s"}
    assert json.loads(line) == entry
