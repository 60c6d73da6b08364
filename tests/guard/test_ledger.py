from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runaway.guard import ledger
from runaway.guard.call import Call
from runaway.guard.fastjson import dumps
from runaway.guard.ledger import Day, day_of, path_of, tell_note
from runaway.guard.session import Store

NOW = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))
TODAY = "2026-11-30"


def spend(
    state: str, total: float, project: str = "/a", day: str = TODAY, session: str = "s"
) -> None:
    Day(state, day).book("claude", session, project, float(total))


def step(state: str, dollars: float, session: str = "s") -> None:
    """As release 0.1 told it."""
    entry = {"dollars": dollars, "harness": "claude", "project": "/a", "session": session}
    append(state, (dumps(entry) + "\n").encode())


def append(state: str, data: bytes) -> None:
    lines(state).parent.mkdir(parents=True, exist_ok=True)
    with lines(state).open("ab") as file:
        file.write(data)


def lines(state: str) -> Path:
    return Path(path_of(state, TODAY))


def sums(state: str) -> Path:
    return Path(state) / f"sums/{TODAY}.json"


def look(state: str, project: str = "/a", day: str = TODAY) -> tuple[float, float]:
    seen = Day(state, day)
    return seen.project(project), seen.machine


def test_a_day_is_that_of_the_local_clock() -> None:
    assert day_of(NOW) == TODAY
    assert day_of(NOW + 12 * 3600) == "2026-12-01"


def test_the_largest_total_of_each_session_counts(state: str) -> None:
    assert look(state) == (0, 0)
    for total in (1.5, 4.25, 4.25, 2.0, 4.25):
        spend(state, total)
    assert look(state) == (4.25, 4.25)
    assert lines(state).read_bytes().count(b"\n") == 2


def test_projects_count_apart_and_the_machine_all_together(state: str) -> None:
    spend(state, 1.5)
    spend(state, 2.25, "/b", session="other")
    spend(state, 8, day="2026-11-29")
    assert look(state) == (1.5, 3.75)
    assert look(state, "/b") == (2.25, 3.75)
    assert look(state, day="2026-11-29") == (8, 8)


def test_what_a_session_spends_after_a_change_of_folder_belongs_to_the_new_one(state: str) -> None:
    spend(state, 1.5, "/a")
    spend(state, 4, "/b")
    spend(state, 4, "/a")
    assert look(state, "/a") == (1.5, 4)
    assert look(state, "/b") == (2.5, 4)


def test_a_note_is_known_to_all_sessions_of_its_project_and_is_no_money(state: str) -> None:
    spend(state, 52)
    tell_note(state, Call("claude", "s", cwd="/a"), 51.5, NOW)
    seen = Day(state, TODAY)
    assert (seen.noted("/a"), seen.noted("/b"), seen.machine) == (51.5, 0, 52)
    assert Day(state, TODAY).noted("/a") == 51.5, "from the sums"
    assert Day(state, "2026-12-01").noted("/a") == 0


def test_equal_ids_of_two_harnesses_are_two_sessions(state: str) -> None:
    spend(state, 1)
    Day(state, TODAY).book("codex", "s", "/a", 1)
    assert look(state) == (2, 2)


def test_only_what_is_new_is_read(state: str) -> None:
    spend(state, 1)
    assert look(state) == (1, 1)
    size = lines(state).stat().st_size
    lines(state).write_bytes(b" " * (size - 1) + b"\n")
    spend(state, 2, session="other")
    assert look(state) == (3, 3)


@pytest.mark.parametrize("day_is_lost", [True, False])
def test_a_ledger_that_was_removed_or_begun_anew_counts_as_it_is(
    state: str, day_is_lost: bool
) -> None:
    spend(state, 1)
    spend(state, 5, session="other")
    assert look(state) == (6, 6)
    lines(state).unlink()
    if day_is_lost:
        assert look(state) == (0, 0)
    spend(state, 2)
    assert look(state) == (2, 2)


def forgotten(state: str) -> None:
    shutil.rmtree(sums(state).parent)


def damaged(state: str) -> None:
    sums(state).write_bytes(b"x" * 200)


def of_another_shape(state: str) -> None:
    _store(state, {"offset": 10**9, "sessions": {"a": "b"}})


def absurd(state: str) -> None:
    inode = lines(state).stat().st_ino
    amounts = {"sessions": {"x": float("inf")}, "projects": {}, "steps": {}}
    _store(state, {"offset": 0, "inode": inode, **amounts})


def in_the_way(state: str) -> None:
    forgotten(state)
    sums(state).parent.write_text("no folder")


def _store(state: str, content: dict[str, object]) -> None:
    store = Store(str(sums(state)), 0, ledger.ROOM)
    store.state = content
    store.save()
    store.close()


@pytest.mark.parametrize("harm", [forgotten, damaged, of_another_shape, absurd, in_the_way])
def test_the_sums_are_made_again_from_the_lines(state: str, harm: Callable[[str], None]) -> None:
    spend(state, 1)
    spend(state, 2, session="other")
    assert look(state) == (3, 3)
    harm(state)
    assert look(state) == (3, 3)
    spend(state, 4, session="third")
    assert look(state) == (7, 7)


def test_sums_that_another_process_holds_are_read_all_the_same(state: str) -> None:
    spend(state, 1)
    held = Store(str(sums(state)), 0, ledger.ROOM)
    spend(state, 2)
    assert look(state) == (2, 2)
    held.close()


def test_a_new_day_starts_at_nothing(state: str) -> None:
    spend(state, 1)
    spend(state, 4, day="2026-12-01")
    assert look(state, day="2026-12-01") == (4, 4)


def test_a_line_that_is_still_being_written_waits(state: str) -> None:
    spend(state, 1)
    whole = lines(state).read_bytes()
    append(state, whole.replace(b"1.0", b"3.0")[:-5])
    assert look(state) == (1, 1)
    lines(state).write_bytes(whole + whole.replace(b"1.0", b"3.0"))
    assert look(state) == (3, 3)


@pytest.mark.parametrize("cut", [1, 20, -2])
def test_a_torn_last_line_swallows_nobody_elses(state: str, cut: int) -> None:
    spend(state, 1)
    append(state, lines(state).read_bytes().replace(b"1.0", b"9.0")[:cut])
    assert look(state) == (1, 1)
    spend(state, 2, session="other")
    assert look(state) == (3, 3)
    assert all(json.loads(line) for line in lines(state).read_bytes().splitlines()[::2])


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n" * 1000,
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b'{"dollars":"x","harness":"h","project":"/a"}',
        b'{"dollars":true,"harness":"h","project":"/a"}',
        b"\xff\xfe",
        b"[" * 5000,
        b'{"dollars":NaN,"harness":"h","project":"/a"}',
        b'{"dollars":-9,"harness":"h","project":"/a"}',
        b'{"total":NaN,"harness":"h","project":"/a"}',
        b'{"total":-9,"harness":"h","project":"/a"}',
        b'{"total":1e300,"harness":"h","project":"/a"}',
        b'{"total":null,"dollars":5,"harness":"h","project":"/a"}',
        b'{"total":[9],"harness":[],"project":{}}',
        b'{"total":9,"project":"/a"}',
    ],
)
def test_a_line_that_is_none_of_ours_is_passed_over(state: str, line: bytes) -> None:
    spend(state, 1)
    append(state, line + b"\n")
    spend(state, 2, session="other")
    assert look(state) == (3, 3)


def test_many_who_book_at_once_lose_nothing_and_count_nothing_twice(state: str) -> None:
    with ThreadPoolExecutor(8) as workers:
        list(
            workers.map(
                lambda one: spend(state, (1 + one % 50) / 100, session=f"s{one // 50}"), range(400)
            )
        )
    assert look(state)[1] == pytest.approx(8 * 0.5)


def test_a_day_with_thousands_of_lines_is_read_once(state: str) -> None:
    spend(state, 0.5)
    entry = {"harness": "claude", "project": "/a"}
    told = (dumps({**entry, "session": str(one), "total": 0.001}) for one in range(20_000))
    append(state, ("\n".join(told) + "\n").encode())
    assert look(state)[1] == pytest.approx(20.5)
    lines(state).write_bytes(b" " * (lines(state).stat().st_size - 1) + b"\n")
    assert look(state)[1] == pytest.approx(20.5), "the lines were not read again"


def test_more_than_is_read_at_once_comes_with_the_next_looks(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MAX_READ_BYTES", 1 << 14)
    step(state, 1)
    line = lines(state).read_bytes()
    count = 3 * ledger.MAX_READ_BYTES // len(line)
    lines(state).write_bytes(line * count)
    for _ in range(4):
        seen = look(state)
    assert seen[1] == count


def test_a_line_longer_than_is_read_at_once_is_passed_over(state: str) -> None:
    spend(state, 1)
    append(state, b"x" * (2 * ledger.MAX_READ_BYTES) + b"\n")
    spend(state, 2, session="other")
    for _ in range(3):
        seen = look(state)
    assert seen == (3, 3)


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_stands_in_its_place_is_neither_followed_nor_waited_for(
    state: str, tmp_path: Path, kind: str
) -> None:
    spend(state, 1)
    victim = tmp_path / "victim"
    lines(state).rename(victim)
    forgotten(state)
    lines(state).symlink_to(victim) if kind == "link" else os.mkfifo(lines(state))
    before = victim.read_bytes()
    with pytest.raises(OSError, match=r"symbolic|seek"):
        spend(state, 2)
    assert victim.read_bytes() == before
    assert look(state) == (0, 0)


def test_what_cannot_be_written_counts_for_who_tells_it(state: str) -> None:
    Path(state).mkdir()
    Path(state, "ledger").write_text("no folder")
    day = Day(state, TODAY)
    with pytest.raises(OSError, match="directory"):
        day.book("claude", "s", "/a", 5)
    assert (day.project("/a"), day.machine) == (5, 5)


def test_steps_of_the_earlier_release_and_totals_of_a_session_are_one(state: str) -> None:
    step(state, 1)
    step(state, 2)
    step(state, 0.5, session="other")
    assert look(state) == (3.5, 3.5)
    assert Day(state, TODAY).stepped("claude", "s") == 3
    spend(state, 3)
    assert look(state) == (3.5, 3.5)
    spend(state, 4)
    assert look(state) == (4.5, 4.5)
    assert Day(state, TODAY).stepped("claude", "s") == 3


def test_the_ledger_is_for_its_owner_alone_and_one_json_object_a_line(state: str) -> None:
    spend(state, 0.1234567, "/\ud83d é")
    for file in (lines(state), sums(state)):
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
    [line] = lines(state).read_bytes().splitlines()
    entry = {"total": 0.123457, "harness": "claude", "project": "/\ud83d é", "session": "s"}
    assert json.loads(line) == entry
