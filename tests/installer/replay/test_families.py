from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.replay.families import families, files, merged

Log = Callable[..., Path]


def test_logs_are_found_in_folders_and_each_file_is_taken_once(log: Log, tmp_path: Path) -> None:
    first, second = log(name="a/x.jsonl"), log(name="a/b/y.json")
    log(name="a/notes.txt")
    assert files([tmp_path, first]) == [second, first]


def test_a_file_that_is_named_is_taken_whatever_its_suffix(log: Log) -> None:
    path = log(name="run.log")
    assert files([path]) == [path]


def test_a_path_that_does_not_exist_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"gone does not exist: name a session file or a folder"):
        files([tmp_path / "gone"])


def test_files_that_are_no_session_logs_are_told_apart(log: Log) -> None:
    session, other = log({"type": "prompt"}, name="a.jsonl"), log({"name": "x"}, name="b.json")
    found, foreign = families([session, other])
    assert [family.path for family in found] == [session]
    assert foreign == [other]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_no_session_log(log: Log) -> None:
    path = log({"type": "prompt"})
    path.chmod(0)
    assert families([path]) == ([], [path])


def test_agents_of_one_session_are_one_family_the_main_one_first(log: Log) -> None:
    sub = log({"type": "prompt", "session": "s", "agent": "a7"}, name="a.jsonl")
    main = log({"type": "prompt", "session": "s"}, name="b.jsonl")
    (family,), _ = families([sub, main])
    assert family.path == main
    assert [session.agent for session in family.members] == ["", "a7"]
    assert family.size == sub.stat().st_size + main.stat().st_size


def test_the_events_of_a_family_come_in_the_order_of_time(log: Log) -> None:
    main = log(
        {"type": "call", "session": "s", "time": 10, "id": "1", "tool": "x"},
        {"type": "call", "time": 30, "id": "3", "tool": "x"},
        name="a.jsonl",
    )
    sub = log(
        {"type": "call", "session": "s", "agent": "a7", "time": 20, "id": "2", "tool": "x"},
        name="b.jsonl",
    )
    (family,), _ = families([main, sub])
    assert [(agent, event.time) for agent, event in merged(family)] == [
        ("", 10.0),
        ("a7", 20.0),
        ("", 30.0),
    ]


def test_a_clock_that_goes_back_does_not_reorder_a_file(log: Log) -> None:
    times = (20, 10, 30)
    path = log(*({"type": "call", "time": time, "id": str(time), "tool": "x"} for time in times))
    (family,), _ = families([path])
    assert [event.time for _, event in merged(family)] == [20.0, 10.0, 30.0]


def test_a_storm_of_agents_does_not_run_out_of_open_files(log: Log) -> None:
    limit, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    paths = [
        log({"type": "prompt", "session": "s", "agent": str(number)}, name=f"{number}.jsonl")
        for number in range(200)
    ]
    resource.setrlimit(resource.RLIMIT_NOFILE, (150, hard))
    try:
        (family,), _ = families(paths)
        assert len(list(merged(family))) == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
