from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import ASK, DENY, NOTE, STOP
from runaway.guard.policy import Policy
from runaway.installer.replay.engine import Replayed, Trip, replay
from runaway.installer.replay.families import families

Log = Callable[..., Path]
Line = dict[str, Any]


def observed(*paths: Path, **policy: Any) -> list[Replayed]:
    found, _ = families(paths)
    return [replayed for _, replayed in replay(found, Policy({"observe": True, **policy}, "/none"))]


def step(number: int, command: str = "make", **result: Any) -> list[Line]:
    """A call a second after the last one, and its result."""
    call = {
        "type": "call",
        "time": 1000 + number,
        "id": str(number),
        "tool": "bash",
        "kind": "shell",
        "arguments": {"command": command},
    }
    ended = {"type": "result", "time": 1000.5 + number, "id": str(number), "text": "", **result}
    return [call, ended]


def steps(numbers: Iterable[int], **about: Any) -> list[Line]:
    return [line for number in numbers for line in step(number, **about)]


def trips(replayed: Replayed, rule: str) -> dict[int, int]:
    """Level -> which call of the session first reached it."""
    return {trip.level: trip.call for trip in replayed.trips if trip.rule == rule}


PROMPT = {"type": "prompt", "time": 1000}


def test_the_same_call_with_the_same_result_climbs_the_ladder(log: Log) -> None:
    (replayed,) = observed(log(PROMPT, *steps(range(1, 15), text="took 3 s")))
    assert trips(replayed, "loop.same_result") == {NOTE: 4, ASK: 6, DENY: 8, STOP: 12}


def test_digits_in_a_result_do_not_make_it_another_one(log: Log) -> None:
    lines = [line for n in range(1, 8) for line in step(n, text=f"took {n * 37} s, id {n:08x}")]
    (replayed,) = observed(log(PROMPT, *lines))
    assert trips(replayed, "loop.same_result")[ASK] == 6


def test_other_results_each_time_are_progress_until_a_long_row(log: Log) -> None:
    lines = [line for n in range(1, 42) for line in step(n, text="x" * n)]
    (replayed,) = observed(log(PROMPT, *lines))
    assert trips(replayed, "loop.same_result") == {}
    assert trips(replayed, "loop.same_call") == {ASK: 40}


def test_waiting_half_a_minute_between_calls_is_polling(log: Log) -> None:
    (replayed,) = observed(log(PROMPT, *steps(range(0, 31 * 20, 31), text="pending")))
    assert {trip.level for trip in replayed.trips} <= {NOTE}


def test_failing_rounds_trip_and_a_success_resets(log: Log) -> None:
    failing = [line for n in range(1, 6) for line in step(n, f"try {n}", outcome="failed")]
    well = step(6, "ls")
    again = [line for n in range(7, 14) for line in step(n, f"try {n}", outcome="failed")]
    (replayed,) = observed(log(PROMPT, *failing, *well, *again))
    assert trips(replayed, "failure.rounds") == {NOTE: 5, ASK: 13}


def test_failures_of_one_message_are_one_round(log: Log) -> None:
    lines = []
    for n in range(1, 13):
        call, ended = step(n, f"try {n}", outcome="failed")
        lines += [{**call, "round": f"m{n // 4}"}, ended]
    (replayed,) = observed(log(PROMPT, *lines))
    assert trips(replayed, "failure.rounds") == {}


@pytest.mark.parametrize("rule", ["failure.rounds", "loop.same_result", "loop.same_call"])
def test_rejected_calls_are_no_evidence(log: Log, rule: str) -> None:
    (replayed,) = observed(log(PROMPT, *steps(range(1, 20), outcome="neutral")))
    assert trips(replayed, rule) == {}


def test_a_prompt_of_a_person_starts_anew_and_another_does_not(log: Log) -> None:
    human = {"type": "prompt", "time": 1005.7, "id": "p"}
    first, second = steps(range(1, 6), text="same"), steps(range(6, 11), text="same")
    (reset,) = observed(log(PROMPT, *first, human, *second, name="a.jsonl"))
    (kept,) = observed(log(PROMPT, *first, {**human, "human": False}, *second, name="b.jsonl"))
    assert ASK not in trips(reset, "loop.same_result")
    assert trips(kept, "loop.same_result")[ASK] == 6
    assert (reset.prompts, kept.prompts) == (2, 1)


def test_agents_are_judged_each_for_itself(log: Log) -> None:
    lines = steps(range(1, 6), text="same")
    main = log({**PROMPT, "session": "s"}, *lines, name="a.jsonl")
    sub = log({**PROMPT, "session": "s", "agent": "a7"}, *lines, name="b.jsonl")
    (replayed,) = observed(main, sub)
    assert replayed.calls == 10
    assert ASK not in {trip.level for trip in replayed.trips}


def test_a_call_that_stands_in_two_files_counts_once(log: Log, tmp_path: Path) -> None:
    record = {
        "type": "assistant",
        "uuid": "u",
        "timestamp": "2026-01-02T03:04:05.000Z",
        "message": {
            "role": "assistant",
            "id": "msg_1",
            "model": "claude-opus-4-5",
            "usage": {"input_tokens": 1000, "output_tokens": 1000},
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}],
        },
    }
    original = log({**record, "sessionId": "s1"}, name="a.jsonl")
    fork = log({**record, "sessionId": "s2"}, name="b.jsonl")
    first, second = observed(original, fork)
    assert (first.calls, second.calls) == (1, 0)
    assert first.dollars > 0
    assert second.dollars == 0


def usage(time: float, dollars: float, id: str = "r", **more: Any) -> Line:
    return {"type": "usage", "time": time, "id": id, "model": "m", "dollars": dollars, **more}


def test_a_response_told_twice_is_paid_once_at_its_larger_price(log: Log) -> None:
    (replayed,) = observed(log(PROMPT, usage(1001, 1.0), usage(1002, 3.0), usage(1003, 2.0)))
    assert replayed.dollars == 3.0


def test_a_model_without_a_price_is_named(log: Log) -> None:
    spent = {"type": "usage", "time": 1001, "model": "no-such-model", "input": 1_000_000}
    (replayed,) = observed(log(PROMPT, spent))
    assert replayed.unknown_models == ("no-such-model",)
    assert replayed.dollars > 0


def test_money_per_prompt_and_per_day_trips(log: Log) -> None:
    path = log(PROMPT, usage(1001, 30.0), *step(2), usage(1400, 130.0, "q"), *step(401, "ls"))
    (replayed,) = observed(path)
    assert trips(replayed, "spend.prompt")[ASK] == 1
    assert trips(replayed, "spend.day")[ASK] == 2


def test_a_day_is_noted_once_over_all_sessions_of_a_project(log: Log) -> None:
    one = log(PROMPT, usage(1001, 60.0), *step(2), name="a.jsonl")
    two = log(PROMPT, usage(1101, 6.0), *step(102), name="b.jsonl")
    noted = [trips(replayed, "spend.day") for replayed in observed(one, two)]
    assert noted == [{NOTE: 1}, {}]


def test_a_trip_saves_what_came_after_it_until_the_person_spoke(log: Log) -> None:
    path = log(
        PROMPT,
        *steps(range(1, 9), text="same"),
        usage(1008.6, 2.0),
        {"type": "prompt", "time": 1008.7, "id": "p"},
        *steps(range(9, 12), command="ls"),
        usage(1012, 4.0, "later"),
    )
    (replayed,) = observed(path)
    (trip,) = [trip for trip in replayed.trips if trip[:2] == ("loop.same_result", ASK)]
    assert isinstance(trip, Trip)
    assert (trip.call, trip.calls_saved, trip.dollars_saved) == (6, 3, 2.0)


def test_a_cap_of_the_session_saves_everything_after_it(log: Log) -> None:
    path = log(
        PROMPT,
        usage(1000.5, 5.0),
        *step(1),
        {"type": "prompt", "time": 1002, "id": "p"},
        *steps(range(3, 6), command="ls"),
    )
    (replayed,) = observed(path, session_cap=4)
    saved = [trip.calls_saved for trip in replayed.trips if trip.rule == "spend.session"]
    assert saved == [4]
