"""Sessions recorded from Grok Build 1.0.41 against a scripted model, and odd lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runaway.guard.transcripts import (
    CALL,
    FAILED,
    KIND,
    NEUTRAL,
    OK,
    PROMPT,
    REFUSED,
    RESULT,
    USAGE,
    accounts,
    grok,
    session_files,
)
from runaway.guard.usage import Usage
from tests.guard.transcripts.records import GROK, NOON, line, price

Event = Any
[PLAIN] = (GROK / "plain").glob("*/updates.jsonl")
LATER = NOON + 1e6


def told(log: Path = PLAIN, *, usage_only: bool = False) -> list[Event]:
    return list(grok.events(log.read_bytes().splitlines(), {}, usage_only))


def of(kind: int, log: Path = PLAIN) -> list[Event]:
    return [event for event in told(log) if event[KIND] == kind]


def costs(log: Path) -> float:
    account: Any = {}
    for _ in session_files.catch_up(grok, str(log), "s", {"account": account}, LATER, price):
        pass
    return accounts.total(account)


def dollars(*usages: Usage) -> float:
    return sum(price("grok-4.5", usage, NOON) for usage in usages)


def read(*lines: bytes, **memory: Any) -> list[Event]:
    known: Any = memory
    return list(grok.events(lines, known))


def update(kind: str, *, context: int = 0, response: int = 0, **fields: Any) -> bytes:
    about = {"totalTokens": context, "streamStartMs": response, "promptId": "p"}
    about["agentTimestampMs"] = int(NOON * 1000)
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}, "_meta": about}
    return line({"timestamp": int(NOON), "method": "session/update", "params": params})


def test_the_turn_costs_what_its_sums_say() -> None:
    """Whatever the sizes of its context have said before."""
    calls = Usage(1000, 50, 300), Usage(2000, 60), Usage(3000, 70), Usage(3200, 70), Usage(4000, 80)
    assert costs(PLAIN) == pytest.approx(dollars(*calls))


def test_before_the_turn_has_ended_it_costs_at_least_what_its_context_tells(tmp_path: Path) -> None:
    log = tmp_path / "updates.jsonl"
    lines = PLAIN.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(one for one in lines if b'"turn_completed"' not in one))
    contexts = (1350, 2060, 3070, 3270, 3297)
    least = [Usage(new - old, 0, old) for old, new in zip((0, *contexts), contexts, strict=False)]
    assert costs(log) == pytest.approx(dollars(*least))


def test_a_turn_with_subagents_leaves_their_tokens_to_their_own_logs() -> None:
    logs = sorted((GROK / "subagents").glob("*/updates.jsonl"))
    main, *subagents = sorted(logs, key=lambda log: -log.stat().st_size)
    theirs = dollars(Usage(500, 5), Usage(500, 5))
    assert [costs(log) for log in subagents] == [pytest.approx(theirs)] * 2
    own = [Usage(1010), Usage(100, 0, 1010), Usage(185, 0, 1110), Usage(0, 0, 1272)]
    assert costs(main) == pytest.approx(dollars(*own))


def test_calls_and_their_outcomes() -> None:
    calls = of(CALL)
    assert [(event[3], event[4].get("command")) for event in calls] == [
        ("run_terminal_command", "echo hi"),
        ("run_terminal_command", "false"),
        ("run_terminal_command", "ls /nonexistent"),
        ("read_file", None),
        ("run_terminal_command", "echo denied"),
        ("run_terminal_command", "echo other"),
        ("nope", None),
        ("run_terminal_command", "rm x"),
    ]
    outcomes = {event[2]: event[3] for event in of(RESULT)}
    assert [outcomes[event[2]] for event in calls] == [
        OK,
        OK,  # `false` says nothing: it has looked and found nothing
        *(FAILED, FAILED),
        *(NEUTRAL, REFUSED),  # by the guard, and by another hook
        FAILED,
        REFUSED,  # by a rule
    ]


def test_calls_and_results_of_one_response_are_of_one_round() -> None:
    rounds = {event[2]: event[5] for event in of(CALL)}
    assert rounds == {event[2]: event[5] for event in of(RESULT)}
    assert len(set(rounds.values())) == 4


def test_prompts_of_a_person_are_told_from_those_of_grok() -> None:
    main = max((GROK / "subagents").glob("*/updates.jsonl"), key=lambda log: log.stat().st_size)
    assert [event[3] for event in of(PROMPT, main)] == [True, False]


def test_what_a_person_refuses_is_neutral() -> None:
    said = "Failed to request permission from user: failed to request permission for tool `x`"
    content = [{"type": "content", "content": {"type": "text", "text": said}}]
    ended = update("tool_call_update", toolCallId="c", status="failed", content=content)
    [result] = read(ended)
    assert result[3] == NEUTRAL


def test_reading_money_only_tells_prompts_and_no_calls() -> None:
    assert {event[KIND] for event in told(usage_only=True)} == {USAGE, PROMPT}


def test_of_a_text_that_comes_in_pieces_the_first_one_counts() -> None:
    pieces = [update("agent_message_chunk", context=9 + n, response=1) for n in range(3)]
    assert [event[4].input for event in read(*pieces, model="grok-4.5")] == [9]


def test_a_long_turn_is_no_long_prompt() -> None:
    """Prices rise with the size of a request, not with that of a turn."""
    sums = {"inputTokens": 1_000_000, "outputTokens": 100, "modelCalls": 10}
    usage = {"modelUsage": {"grok-4.5": sums}}
    [spent] = read(update("turn_completed", prompt_id="p", usage=usage))
    assert price("grok-4.5", spent[4], NOON) == pytest.approx(dollars(*[Usage(100_000, 10)] * 10))


@pytest.mark.parametrize(
    "odd",
    [
        update("turn_completed", usage=None),
        update("turn_completed", usage={"modelUsage": {"grok-4.5": None}}),
        update("tool_call", context=-1, response=1),
        update("tool_call_update", status="completed", content="x", rawOutput=[]),
        b'{"params":{"update":{"sessionUpdate":"tool_call"',
    ],
)
def test_odd_lines_cost_nothing(odd: bytes) -> None:
    events = read(odd, model="grok-4.5")
    assert sum(price(event[3], event[4], NOON) for event in events if event[KIND] == USAGE) == 0
