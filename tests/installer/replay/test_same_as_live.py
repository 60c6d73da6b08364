"""Replay is the guard: of every call it says what the guard says when the session is under way."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard.transcripts import READERS
from runaway.installer.replay.engine import replay
from runaway.installer.replay.families import families
from tests.guard.transcripts.records import GOLDEN
from tests.installer.replay import writers
from tests.installer.replay.live import Judged, compared, policy
from tests.installer.replay.writers import WRITERS, Step, Writer

SESSIONS = sorted(
    folder
    for harness in READERS
    for folder in ([GOLDEN / harness] if harness == "droid" else (GOLDEN / harness).iterdir())
)
SPOKEN = Step(0, 0)
LONG = 12  # calls, past every limit of the test's policy


@pytest.mark.usefixtures("attended")
@pytest.mark.parametrize("source", SESSIONS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_recorded_session_is_judged_as_it_was_live(source: Path, tmp_path: Path) -> None:
    judged = list(compared(source, tmp_path))
    assert sum(calls for *_, calls in judged) > 0
    for live, replayed, _ in judged:
        assert replayed == live


def rules(writer: Writer, steps: list[Step], scratch: Path) -> set[str]:
    """The rules that the guard named, which are those that replay names."""
    source = scratch / "source"
    writer.write(source, [SPOKEN, *steps])
    [(live, replayed, calls)] = compared(source, scratch)
    assert replayed == live
    assert calls == sum(1 for step in steps if step.tool)
    return {rule for _, rule, *_ in live}


def test_every_log_that_the_guard_reads_has_a_writer_here() -> None:
    assert WRITERS.keys() == set(READERS)


@pytest.mark.usefixtures("attended")
@pytest.mark.parametrize("name", WRITERS)
def test_a_command_described_anew_each_time_is_the_same_call(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    shells = [
        Step(n, n, writer.shell, {writer.command: "make", writer.ignored: f"Try {n}"})
        for n in range(1, LONG)
    ]
    assert rules(writer, shells, tmp_path) == {writer.repeated}


@pytest.mark.usefixtures("attended")
@pytest.mark.parametrize("name", WRITERS)
def test_a_prompt_starts_all_counts_anew(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    steps = [
        Step(n, n, writer.shell, {writer.command: "make"}) if n % 4 else Step(n, n)
        for n in range(1, LONG)
    ]
    assert rules(writer, steps, tmp_path) == {writer.repeated}


@pytest.mark.usefixtures("attended")
@pytest.mark.parametrize("name", [name for name, writer in WRITERS.items() if writer.waiting])
def test_waiting_is_no_loop(name: str, tmp_path: Path) -> None:
    waits = [Step(n, n, WRITERS[name].waiting, {"id": "a"}) for n in range(1, LONG + 1)]
    assert rules(WRITERS[name], waits, tmp_path) == set()


@pytest.mark.usefixtures("attended")
@pytest.mark.parametrize("name", WRITERS)
def test_failing_rounds_are_failing_rounds(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    steps = [
        Step(n, n, writer.shell, {writer.command: f"make {n}"}, "no rule", failed=True)
        for n in range(1, LONG)
    ]
    assert rules(writer, steps, tmp_path) == {"failure.rounds"}


@pytest.mark.usefixtures("attended")
@pytest.mark.parametrize(
    ("name", "tool"),
    [(name, tool) for name, each in WRITERS.items() for tool in (each.spawn, each.web) if tool],
)
def test_a_storm_is_a_storm(name: str, tool: str, tmp_path: Path) -> None:
    steps = [Step(n, n, tool, {"prompt": f"{n}"}) for n in range(1, LONG)]
    assert any(rule.startswith("storm.") for rule in rules(WRITERS[name], steps, tmp_path))


def test_copilots_calls_count_also_where_no_hook_was_told_of_them(tmp_path: Path) -> None:
    def judged(hooked: bool) -> Judged:
        writer = WRITERS["copilot"]._replace(
            records=lambda steps: writers.copilot(steps, hooked=hooked)
        )
        steps = [Step(n, n, "bash", {"command": "make"}) for n in range(1, LONG)]
        path = writer.write(tmp_path / str(hooked), [SPOKEN, *steps])
        [(_, session)] = replay(families([path])[0], policy(tmp_path))
        return [(trip.tool, trip.rule, trip.call, str(trip.level)) for trip in session.trips]

    assert judged(hooked=False) == judged(hooked=True) != []
