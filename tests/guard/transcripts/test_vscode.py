"""A session recorded from VS Code 1.139.1 against a scripted model."""

from __future__ import annotations

from typing import Any

from runaway.guard.transcripts import CALL, FAILED, KIND, PROMPT, RESULT, copilot, vscode
from runaway.guard.transcripts.records import parse
from tests.guard.transcripts.records import VSCODE

[LOG] = VSCODE.glob("*.jsonl")


def of(kind: int) -> list[Any]:
    return [
        event for event in vscode.events(LOG.read_bytes().splitlines(), {}) if event[KIND] == kind
    ]


def test_calls_are_told_with_their_ids_and_rounds() -> None:
    calls = of(CALL)
    assert [event[2] for event in calls] == [f"call_{number:06}" for number in range(1, 14, 2)]
    assert len({event[5] for event in calls}) == len(calls)


def test_what_threw_an_error_has_failed_and_of_the_rest_nothing_is_known() -> None:
    """A denied call is a success there."""
    assert [(event[2], event[3]) for event in of(RESULT)] == [("call_000007", FAILED)]


def test_the_task_of_a_subagent_is_no_prompt() -> None:
    assert [event[3] for event in of(PROMPT)] == [True]


def test_reading_money_only_tells_the_prompts() -> None:
    events = vscode.events(LOG.read_bytes().splitlines(), {}, usage_only=True)
    assert [event[KIND] for event in events] == [PROMPT]


def test_its_log_is_not_taken_for_copilots() -> None:
    first = parse(LOG.read_bytes().partition(b"\n")[0])
    assert copilot.owner(first, "") is None
    assert vscode.owner(first, "") == ("eff2078d-b928-483b-9ab7-4cbd2a83db78", "")
