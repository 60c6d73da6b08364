"""Whole sessions read call by call, as the guard does: copies, resumes, rewritten files, storms."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.fastjson import dumps, loads
from runaway.guard.transcripts import (
    CALL,
    KIND,
    RESET,
    RESULT,
    TIME,
    accounts,
    claude,
    codex,
    copilot,
    droid,
    gemini,
    grok,
    qwen,
    session_files,
    tail,
    vscode,
)
from tests.guard.transcripts.records import (
    CLAUDE,
    NOON,
    assistant,
    call,
    cost_state,
    dollars,
    plain,
    price,
    result,
)
from tests.guard.transcripts.test_claude import ORACLE

Event = Any


class Session:
    """A session on disk, and what is remembered of it between two calls of the guard."""

    def __init__(self, folder: Path) -> None:
        self.transcript = folder / "s.jsonl"
        self.subagents = folder / "s" / "subagents"
        self.memory: Any = {}
        self.now = NOON

    def write(self, *lines: bytes, agent: str = "") -> None:
        path = self.subagents / f"agent-{agent}.jsonl" if agent else self.transcript
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(b"".join(text + b"\n" for text in lines))
        os.utime(path, (self.now, self.now))

    def read(self, reader: Any = claude) -> list[tuple[str, Event]]:
        """What one call of the guard is told; its memory is stored in between."""
        memory = loads(dumps(self.memory))
        told = list(
            session_files.catch_up(reader, str(self.transcript), "s", memory, self.now, price)
        )
        before = self.total
        self.memory = loads(dumps(memory))
        if all(event[KIND] != RESET for _, event, _ in told):
            assert sum(grown for _, _, grown in told) == pytest.approx(self.total - before)
        return [(agent, event) for agent, event, _ in told]

    @property
    def total(self) -> float:
        return accounts.total(self.memory.get("account", {}))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_a_session_without_a_transcript_costs_nothing(session: Session) -> None:
    assert session.read() == []
    assert session.total == 0


def test_each_call_adds_what_is_new(session: Session) -> None:
    session.write(assistant("a", 10))
    session.read()
    session.write(assistant("b", 20), assistant("b", 20))
    session.read()
    session.read()
    assert session.total == pytest.approx(dollars(10, 20))


def test_a_response_that_grows_over_two_calls_counts_once(session: Session) -> None:
    session.write(assistant("a", 1))
    session.read()
    session.write(assistant("a", 500))
    session.read()
    assert session.total == pytest.approx(dollars(500))


def test_subagents_belong_to_the_session_and_are_told_by_name(session: Session) -> None:
    session.write(assistant("a", 10))
    session.write(assistant("b", 20), result("t", "ok"), agent="x")
    agents = {agent for agent, _ in session.read()}
    assert agents == {"", "x"}
    assert session.total == pytest.approx(dollars(10, 20))


def test_a_subagent_that_begins_with_its_parents_history_adds_only_its_own(
    session: Session,
) -> None:
    history = [assistant(f"m{number}", 10, second=number) for number in range(300)]
    session.write(*history)
    session.read()
    session.now += 1000
    session.write(*history, assistant("own", 20, second=1000), agent="x")
    session.read()
    assert session.total == pytest.approx(dollars(*[10] * 300, 20))


def test_the_same_at_the_first_reading(session: Session) -> None:
    history = [assistant(f"m{number}", 10, second=number) for number in range(2000)]
    session.write(*history, assistant("main", 30, second=2000))
    session.write(*history, assistant("own", 20, second=2000), agent="x")
    session.read()
    assert session.total == pytest.approx(dollars(*[10] * 2000, 20, 30))


def test_a_response_that_is_written_late_into_a_new_file_counts(session: Session) -> None:
    """It began to stream before the last call of the guard, in a file that was not there yet."""
    session.write(assistant("a", 10, second=0))
    session.now = NOON + 60
    session.read()
    session.now = NOON + 61
    session.write(assistant("b", 20, second=30), agent="x")
    session.read()
    assert session.total == pytest.approx(dollars(10, 20))


def test_a_resumed_session_goes_on_from_the_total_of_the_harness(session: Session) -> None:
    session.write(assistant("a", 10, second=1), cost_state(5.0))
    session.read()
    session.now = NOON + 100
    session.write(assistant("b", 20, second=100), cost_state(5.0 + dollars(20)))
    session.read()
    assert session.total == pytest.approx(5.0 + dollars(20))


def test_the_spend_of_subagents_before_that_total_is_not_added_to_it(session: Session) -> None:
    session.write(assistant("b", 20, second=5), agent="x")
    session.write(assistant("a", 10, second=1), cost_state(5.0))
    session.read()
    assert session.total == pytest.approx(5.0)


@pytest.mark.parametrize("change", ["emptied", "shrunk", "replaced", "rewritten in place"])
def test_a_history_that_was_rewritten_takes_nothing_back(session: Session, change: str) -> None:
    session.write(assistant("a", 10), assistant("b", 10))
    session.write(assistant("c", 40), agent="x")
    session.read()
    lines = {"emptied": [], "shrunk": [assistant("a", 10)]}.get(change, [assistant("d", 7)] * 9)
    if change == "replaced":
        session.transcript.unlink()
    session.transcript.write_bytes(b"".join(text + b"\n" for text in lines))
    kinds = [event[KIND] for _, event in session.read()]
    assert RESET in kinds
    new = () if change in ("emptied", "shrunk") else (7,)
    assert session.total == pytest.approx(dollars(10, 10, 40, *new))
    assert session.read() == []


def test_a_transcript_that_is_deleted_keeps_its_total(session: Session) -> None:
    session.write(assistant("a", 10))
    session.read()
    session.transcript.unlink()
    assert session.read() == []
    assert session.total == pytest.approx(dollars(10))


def test_a_storm_of_agents_is_counted_in_full_and_remembered_in_little(session: Session) -> None:
    session.write(assistant("a", 10))
    for number in range(300):
        session.write(assistant(f"m{number}", 10), agent=f"x{number}")
    session.now += 60
    session.read()
    everything = dollars(*[10] * 301)
    assert session.total == pytest.approx(everything)
    assert len(session.memory["files"]) <= session_files.KEPT + 1
    assert len(dumps(session.memory)) < 16_000
    session.now += 3600
    assert session.read() == []
    session.write(assistant("more", 20, second=3600), agent="x0")
    session.read()
    assert session.total == pytest.approx(everything + dollars(20))


def test_a_long_past_is_read_over_several_calls(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.write(*[assistant(f"m{number}", 10) for number in range(1000)])
    session.write(*[assistant(f"x{number}", 10) for number in range(1000)], agent="x")
    monkeypatch.setattr(tail, "READ", 20_000)
    monkeypatch.setattr(session_files, "MAX_CALL_BYTES", 100_000)
    calls = 0
    while session.memory.get("behind", True):
        session.read()
        calls += 1
    assert calls > 4
    assert session.total == pytest.approx(dollars(*[10] * 2000))


@pytest.mark.parametrize("reader", [claude, codex, copilot, droid, gemini, grok, qwen, vscode])
@pytest.mark.parametrize("junk", [b"\n", b"x\n", b"{}\n", b'{"type":"assistant"}\n'])
def test_a_log_full_of_nothing_takes_no_longer_than_a_call_may(
    reader: Any, junk: bytes, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measured in pieces read, not in seconds: each piece looks at the clock once."""
    clock = iter(range(1000))
    monkeypatch.setattr(session_files, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(session_files, "MAX_CALL_SECONDS", 3.5)
    monkeypatch.setattr(tail, "READ", 10_000)
    session.transcript.write_bytes(junk * (50_000 // len(junk)))
    session.write(assistant("m", 10))
    calls = 0
    while session.memory.get("behind", True):
        session.read(reader)
        calls += 1
    assert calls == 2
    assert session.total == (pytest.approx(dollars(10)) if reader is claude else 0)


def test_of_a_long_past_calls_and_results_are_told_only_for_its_end(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "READ", 5_000)
    monkeypatch.setattr(session_files, "TOLD_WHOLE", 20_000)
    for number in range(200):
        session.write(assistant(f"m{number}", 10, content=[call(f"c{number}")]))
        session.write(result(f"c{number}", "ok"))
    told = session.read()
    calls = [event[2] for _, event in told if event[KIND] == CALL]
    results = [event[2] for _, event in told if event[KIND] == RESULT]
    told_bytes = session.transcript.stat().st_size * len(calls) / 200
    assert 20_000 <= told_bytes <= 25_000
    assert calls == [f"c{number}" for number in range(200 - len(calls), 200)]
    assert results[-1] == "c199"
    assert session.total == pytest.approx(dollars(*[10] * 200))


def test_what_comes_with_a_few_large_results_is_told_whole(session: Session) -> None:
    session.write(assistant("m1", 10, content=[call("a"), call("b"), call("c")]))
    session.write(*[result(name, "x" * 400_000) for name in "abc"])
    told = [event[2] for _, event in session.read() if event[KIND] in (CALL, RESULT)]
    assert told == ["a", "b", "c", "a", "b", "c"]


@pytest.mark.parametrize("stamp", ["", "yesterday", "1970-01-01T00:00:05Z", "9999-01-01T00:00:00Z"])
def test_money_without_a_believable_time_is_of_now(session: Session, stamp: str) -> None:
    session.write(assistant("m", 10, timestamp=stamp))
    ((_, event),) = session.read()
    assert event[TIME] == session.now


def test_a_result_knows_its_round_although_its_call_was_read_before(session: Session) -> None:
    session.write(assistant("m1", 10, content=[call("c")]))
    session.read()
    session.write(result("c", "ok"))
    assert [event[5] for _, event in session.read() if event[KIND] == RESULT] == ["m1"]


@pytest.mark.parametrize("name", ORACLE)
def test_read_in_pieces_a_session_is_the_same_as_read_at_once(name: str, tmp_path: Path) -> None:
    text = (CLAUDE / name / "session.jsonl").read_bytes()
    whole = pieces(text, [], tmp_path / "whole", claude)
    for seed in range(10):
        cuts = sorted(random.Random(seed).choices(range(len(text)), k=8))
        assert pieces(text, cuts, tmp_path / str(seed), claude) == whole


@pytest.mark.parametrize("version", ["0.130", "0.150", "0.171"])
def test_and_so_is_a_rollout(version: str, tmp_path: Path) -> None:
    (*_, path) = (CLAUDE.parent / "codex" / f"{version}-fork-compacted").rglob("*.jsonl")
    text = path.read_bytes()
    whole = pieces(text, [], tmp_path / "whole", codex)
    for seed in range(10):
        cuts = sorted(random.Random(seed).choices(range(len(text)), k=8))
        assert pieces(text, cuts, tmp_path / str(seed), codex) == whole


def pieces(text: bytes, cuts: list[int], folder: Path, reader: Any) -> tuple[float, list[Any]]:
    """Total and events of a file that grows from cut to cut."""
    folder.mkdir()
    session = Session(folder)
    told = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        with session.transcript.open("ab") as file:
            file.write(text[start:end])
        told += session.read(reader)
    return round(session.total, 9), [plain(event) for _, event in told]
