from __future__ import annotations

from typing import Any

import pytest

from runaway.installer.drill.scripts import (
    AGENT,
    DONE,
    delegating,
    distinct,
    drilling,
    looping,
    offers,
    replies,
    spending,
)
from runaway.installer.drill.server import ApiError, Reply, Request, Script, Text, ToolUse, Usage

CALL = ToolUse("Read", {"file_path": "/x"})
ONCE = Reply((CALL,))


def numbered(number: int) -> ToolUse:
    return ToolUse("Read", {"file_path": f"/{number}"})


def played(script: Script, rounds: int, agent: str = "") -> list[Reply | ApiError]:
    return [script(Request(n, n, agent, {}, {})) for n in range(1, rounds + 1)]


def test_looping_repeats_one_call_for_ever() -> None:
    assert played(looping(CALL), 500) == [ONCE] * 500


def test_looping_can_end_and_can_call_several_times_at_once() -> None:
    assert played(looping(CALL, times=2, together=3), 3) == [Reply((CALL,) * 3)] * 2 + [DONE]


def test_distinct_never_repeats_a_call() -> None:
    assert played(distinct(numbered, times=2, together=2), 3) == [
        Reply((numbered(0), numbered(1))),
        Reply((numbered(2), numbered(3))),
        DONE,
    ]


def test_replies_are_given_in_order() -> None:
    error = ApiError(529, "overloaded_error")
    assert played(replies(ONCE, error), 3) == [ONCE, error, DONE]


def test_delegating_gives_the_subagent_a_script_of_its_own() -> None:
    script = delegating(looping(CALL))
    assert played(script, 2) == [Reply((AGENT,)), DONE]
    assert played(script, 2, agent="a1") == [ONCE, ONCE]


def test_after_delegating_the_main_agent_starts_its_own_script_at_the_beginning() -> None:
    script = delegating(looping(CALL), main=distinct(numbered))
    assert played(script, 3)[1:] == [Reply((numbered(0),)), Reply((numbered(1),))]


def test_spending_bills_every_answer_and_no_error() -> None:
    error = ApiError(400, "invalid_request_error")
    script = spending(
        replies(Reply((Text("Hm."),)), error),
        lambda request: Usage(output=request.number),
        model="m",
    )
    assert played(script, 3) == [
        Reply((Text("Hm."),), Usage(output=1), "m"),
        error,
        DONE._replace(usage=Usage(output=3), model="m"),
    ]


def test_a_drill_costs_nothing_and_tells_how_far_it_is() -> None:
    told: list[int] = []
    script = drilling(looping(ToolUse("Read", {})), told.append)
    for number in (1, 2):
        reply = script(Request(number, number, "", {}, {}))
        assert isinstance(reply, Reply)
        assert reply.usage == Usage(0, 0)
    assert told == [1, 2]


@pytest.mark.parametrize(
    ("body", "offered"),
    [({"tools": [{"name": "Read"}]}, True), ({"tools": [{"name": "Bash"}]}, False), ({}, False)],
)
def test_a_tool_is_offered_or_not(body: dict[str, Any], offered: bool) -> None:
    assert offers(Request(1, 1, "", {}, body), "Read") is offered
