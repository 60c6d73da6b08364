from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from runaway.guard.transcripts import codex_files
from runaway.guard.transcripts.codex_files import files
from tests.guard.transcripts.records import rollout, session_meta

if TYPE_CHECKING:
    from runaway.guard.state import LogState

ROOT = "01a22cb7-0000-7000-8000-000000000000"  # born on 2026-11-30
OTHER = "01a22cb7-ffff-7000-8000-000000000000"


def thread(number: int) -> str:
    return f"01a22cb8-{number:04x}-7000-8000-000000000000"


def write(root: Path, day: str, clock: str, name: str, *lines: bytes) -> Path:
    path = root / day / f"rollout-{day.replace('/', '-')}T{clock}-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(text + b"\n" for text in lines))
    return path


@pytest.fixture
def main(tmp_path: Path) -> Path:
    return write(tmp_path, "2026/11/30", "12-00-00", ROOT, session_meta(ROOT, ROOT))


def agents(transcript: Path, memory: LogState | None = None, session: str = ROOT) -> list[str]:
    memory = {} if memory is None else memory
    return [agent for agent, _ in files(str(transcript), session, memory)]


def test_the_subagents_come_first_and_strangers_do_not_come(tmp_path: Path, main: Path) -> None:
    write(tmp_path, "2026/11/30", "12-01-00", thread(1), session_meta(thread(1), ROOT))
    write(tmp_path, "2026/11/30", "12-02-00", OTHER, session_meta(OTHER, OTHER))
    write(tmp_path, "2026/11/30", "12-03-00", thread(2), rollout("garbage"))
    assert agents(main) == [thread(1), ""]


def test_a_subagent_started_days_later_is_found(tmp_path: Path, main: Path) -> None:
    late = write(tmp_path, "2027/01/02", "09-00-00", thread(1), session_meta(thread(1), ROOT))
    assert agents(main) == [thread(1), ""]
    assert agents(late) == [thread(1), ""]


def test_a_subagent_that_starts_between_two_calls_is_found(tmp_path: Path, main: Path) -> None:
    memory: Any = {}
    assert agents(main, memory) == [""]
    write(tmp_path, "2026/11/30", "12-01-00", thread(1), session_meta(thread(1), ROOT))
    assert agents(main, memory) == [thread(1), ""]


def test_before_sessions_had_an_identity_the_parent_tells(tmp_path: Path, main: Path) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": ROOT}}}
    nested = {"parent_thread_id": thread(1)}
    write(tmp_path, "2026/11/30", "12-01-00", thread(1), session_meta(thread(1), source=spawn))
    write(tmp_path, "2026/11/30", "12-02-00", thread(2), session_meta(thread(2), **nested))
    assert agents(main) == [thread(1), thread(2), ""]


def test_a_fork_is_another_session(tmp_path: Path, main: Path) -> None:
    fork = write(
        tmp_path, "2026/11/30", "12-01-00", OTHER, session_meta(OTHER, OTHER, forked_from_id=ROOT)
    )
    assert agents(main) == [""]
    assert agents(fork, session=OTHER) == [""]


def test_each_rollout_is_opened_once(
    tmp_path: Path, main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(tmp_path, "2026/11/30", "12-01-00", thread(number), session_meta(OTHER, OTHER))
    memory: Any = {}
    agents(main, memory)
    opened: list[str] = []

    def first_line(path: str, _: int) -> tuple[bytes, float]:
        opened.append(path)
        return b"", 0.0

    monkeypatch.setattr(codex_files, "first_line", first_line)
    agents(main, memory)
    assert opened == []


def test_a_rollout_without_its_first_line_is_waited_for(tmp_path: Path, main: Path) -> None:
    young = write(tmp_path, "2026/11/30", "12-01-00", thread(1))
    os.utime(young, (time.time(), time.time()))  # by the clock that the reader goes by
    memory: Any = {}
    assert agents(main, memory) == [""]
    young.write_bytes(session_meta(thread(1), ROOT) + b"\n")
    assert agents(main, memory) == [thread(1), ""]


def test_a_rollout_that_stays_empty_hides_no_other(tmp_path: Path, main: Path) -> None:
    stale = write(tmp_path, "2026/11/30", "12-01-00", thread(1))
    os.utime(stale, (1, 1))
    write(tmp_path, "2026/11/30", "12-02-00", thread(2), session_meta(thread(2), ROOT))
    assert agents(main) == [thread(2), ""]


def test_many_rollouts_are_looked_at_over_several_calls(tmp_path: Path, main: Path) -> None:
    for number in range(codex_files.LOOKED_AT + 10):
        write(tmp_path, "2026/11/30", "12-01-00", thread(number), session_meta(OTHER, OTHER))
    write(tmp_path, "2026/11/30", "13-00-00", thread(9999), session_meta(thread(9999), ROOT))
    memory: Any = {}
    assert agents(main, memory) == [""]
    assert agents(main, memory) == [thread(9999), ""]


@pytest.mark.parametrize(
    "transcript", ["", "rollout.jsonl", "/x/archived_sessions/rollout-2026.jsonl"]
)
def test_a_rollout_outside_the_day_folders_stands_alone(transcript: str) -> None:
    assert files(transcript, ROOT, {}) == ([("", transcript)] if transcript else [])


def test_a_session_whose_identity_tells_no_time_is_still_read(tmp_path: Path) -> None:
    path = write(tmp_path, "2026/11/30", "12-00-00", thread(1), session_meta(thread(1), "odd"))
    assert agents(path, session="odd") == [thread(1)]
