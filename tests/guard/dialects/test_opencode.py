"""Golden payloads of every event, as our plugin sends them from OpenCode 1.18.33, ids shortened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import (
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
    ON_PROMPT,
    ON_USAGE,
    OTHER,
    SHELL,
    SPAWN,
    STOP,
    WEB,
)  # fmt: skip
from runaway.guard.dialects import opencode
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import file_name, peek
from runaway.guard.transcripts import FAILED, NEUTRAL, OK, REFUSED

NOW = 1_800_000_000.0
COMMON = {"session": "ses_1", "agent": "", "directory": "/home/u/app", "attended": False}
CALL = {
    **COMMON,
    "event": "tool.execute.before",
    "tool": "bash",
    "call": "call_1",
    "args": {"command": "npm test", "description": "Runs the tests"},
    "told": [],
}
SPOKEN = {**COMMON, "event": "chat.message", "prompt": "msg_1"}
PART = {
    "callID": "call_1",
    "tool": "bash",
    "messageID": "msg_2",
    "state": {
        "status": "completed",
        "time": {"start": 1_800_000_000_100, "end": 1_800_000_000_500},
        "output": "1 failed\n",
        "metadata": {"exit": 1},
    },
}
MESSAGE = {
    "id": "msg_2",
    "parentID": "msg_1",
    "role": "assistant",
    "mode": "build",
    "agent": "build",
    "path": {"cwd": "/home/u/app", "root": "/"},
    "cost": 0.0076,
    "tokens": {
        "total": 1330,
        "input": 1000,
        "output": 100,
        "reasoning": 30,
        "cache": {"write": 0, "read": 200},
    },
    "modelID": "claude-opus-4-6",
    "providerID": "anthropic",
    "time": {"created": 1_800_000_000_000, "completed": 1_800_000_000_600},
    "sessionID": "ses_1",
    "finish": "tool-calls",
}
IDLE = {**COMMON, "event": "session.idle", "told": [MESSAGE]}


def part(tool: str = "bash", call: str = "call_1", **state: Any) -> dict[str, Any]:
    return {**PART, "tool": tool, "callID": call, "state": state}


def test_a_call_is_read() -> None:
    call = opencode.read(CALL, NOW)
    assert (call.harness, call.stage, call.session, call.agent) == (
        "opencode",
        BEFORE_CALL,
        "ses_1",
        "",
    )
    assert (call.id, call.tool, call.kind) == ("call_1", "bash", SHELL)
    assert (call.arguments, call.cwd, call.attended) == (
        {"command": "npm test"},
        "/home/u/app",
        False,
    )
    assert (call.transcript, call.prompt, call.batch) == ("", "", ())


def test_a_subagent_is_an_agent_of_the_session_that_a_person_began() -> None:
    call = opencode.read({**CALL, "agent": "ses_2"}, NOW)
    assert (call.session, call.agent) == ("ses_1", "ses_2")


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("bash", SHELL),
        ("task", SPAWN),
        ("webfetch", WEB),
        ("edit", EDIT),
        ("write", EDIT),
        ("apply_patch", EDIT),
        ("read", OTHER),
        ("docs_search", OTHER),
    ],
)
def test_a_tool_is_known_by_its_name(tool: str, kind: str) -> None:
    assert opencode.read({**CALL, "tool": tool}, NOW).kind == kind


@pytest.mark.parametrize(
    ("tool", "given", "kept"),
    [
        ("bash", {"command": "make  \n", "timeout": 9}, {"command": "make"}),
        ("bash", {"command": "make", "workdir": "/a"}, {"command": "make", "workdir": "/a"}),
        ("task", {"description": "d", "prompt": "p"}, {"prompt": "p"}),
        ("read", {"filePath": "/a", "offset": None, "all": False}, {"filePath": "/a"}),
        ("read", "raw", "raw"),
    ],
)  # fmt: skip
def test_what_does_not_change_the_act_is_left_out(tool: str, given: Any, kept: Any) -> None:
    assert opencode.identifying_arguments(tool, given) == kept


def test_a_prompt_of_a_person() -> None:
    call = opencode.read(SPOKEN, NOW)
    assert call.stage == ON_PROMPT
    batch: Any = call.batch
    [(_, _, prompt, human)] = batch
    assert (prompt, human) == ("msg_1", True)


def test_a_prompt_that_nobody_wrote() -> None:
    batch: Any = opencode.read({**SPOKEN, "unasked": True}, NOW).batch
    assert [event[3] for event in batch] == [False]


def test_a_result_is_told_with_the_next_call() -> None:
    call = opencode.read({**CALL, "call": "call_2", "told": [PART]}, NOW)
    assert call.stage == BEFORE_CALL
    batch: Any = call.batch
    [(_, when, identity, outcome, _, round, approved)] = batch
    assert (when, identity, outcome) == (1_800_000_000.5, "call_1", FAILED)
    assert (round, approved) == ("msg_2", False)


@pytest.mark.parametrize(
    ("tool", "state", "outcome"),
    [
        ("bash", {"status": "completed", "output": "x", "metadata": {"exit": 0}}, OK),
        ("bash", {"status": "completed", "output": "x", "metadata": {"exit": 3}}, FAILED),
        ("bash", {"status": "completed", "output": "x", "metadata": {"exit": 1}}, FAILED),
        ("bash", {"status": "completed", "output": "(no output)", "metadata": {"exit": 1}}, OK),
        ("bash", {"status": "completed", "output": "(no output)", "metadata": {"exit": 2}}, FAILED),
        ("bash", {"status": "completed", "output": "x", "metadata": {"exit": None}}, OK),
        ("grep", {"status": "completed", "output": "x"}, OK),
        ("invalid", {"status": "completed", "output": "The arguments provided"}, FAILED),
        ("read", {"status": "error", "error": "File not found: /nope"}, FAILED),
        ("bash", {"status": "error", "error": "The bash tool was called with invalid"}, FAILED),
        ("bash", {"status": "error", "error": "[runaway] the same bash call"}, NEUTRAL),
        ("bash", {"status": "error", "error": "Tool execution aborted"}, NEUTRAL),
        (
            "bash",
            {"status": "error", "error": "The user rejected permission to use this"},
            NEUTRAL,
        ),
        (
            "bash",
            {"status": "error", "error": "The user has specified a rule which prevents you"},
            REFUSED,
        ),
    ],
)
def test_what_became_of_a_call(tool: str, state: dict[str, Any], outcome: str) -> None:
    event: Any
    [event] = opencode.read({**CALL, "told": [part(tool, **state)]}, NOW).batch
    assert event[3] == outcome


def test_our_own_note_behind_a_result_makes_it_no_other_result() -> None:
    told = [
        part(status="completed", output=said)
        for said in ("again\n", "again\n\n\n[runaway] the same bash call gave")
    ]
    first: Any
    second: Any
    first, second = opencode.read({**CALL, "told": told}, NOW).batch
    assert first[4] == second[4]


def test_money_is_what_opencode_reckons() -> None:
    call = opencode.read(IDLE, NOW)
    assert call.stage == ON_USAGE
    batch: Any = call.batch
    [(_, when, identity, model, usage, inherited)] = batch
    assert (when, identity, model, inherited) == (
        1_800_000_000.6,
        "msg_2",
        "claude-opus-4-6",
        False,
    )
    assert (usage.input, usage.cache_read, usage.cache_write_5m, usage.output) == (
        1000,
        200,
        0,
        130,
    )
    assert usage.dollars == 0.0076


@pytest.mark.parametrize("cost", [None, "1", -1, True, float("nan"), float("inf"), 10**40, {}])
def test_a_cost_that_cannot_be_one_is_none(cost: Any) -> None:
    event: Any
    [event] = opencode.read({**IDLE, "told": [{**MESSAGE, "cost": cost}]}, NOW).batch
    assert event[4].dollars == 0


@pytest.mark.parametrize("told", [None, "x", {}, [None, 1, "x"]])
def test_news_of_another_shape_are_none(told: Any) -> None:
    assert opencode.read({**CALL, "told": told}, NOW).batch == ()


# Answers


@pytest.mark.parametrize(
    ("payload", "level", "expected"),
    [
        (CALL, NOTE, {"note": "text", "show": "text"}),
        (CALL, DENY, {"deny": "text"}),
        ({**CALL, "attended": True}, DENY, {"deny": "text", "show": "text"}),
        (CALL, STOP, {"deny": "text", "show": "text", "stop": True}),
        (SPOKEN, DENY, {"deny": "text", "show": "text"}),
        (SPOKEN, NOTE, {"note": "text", "show": "text"}),
    ],
)
def test_answers(payload: dict[str, Any], level: int, expected: dict[str, Any]) -> None:
    answer = opencode.answer(opencode.read(payload, NOW), level, "text")
    assert json.loads(answer) == expected


def test_nothing_is_said_after_a_turn() -> None:
    assert opencode.answer(opencode.read(IDLE, NOW), NOTE, "text") == opencode.NO_OPINION


# Through the whole guard


def said(policy: Policy, payload: dict[str, Any], now: float) -> dict[str, Any]:
    output = reply("opencode", json.dumps(payload).encode(), policy, now)
    return dict(json.loads(output)) if output else {}


def numbered(number: int, told: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return {**CALL, "call": f"call_{number}", "told": told, **changes}


def state(policy: Policy) -> dict[str, Any]:
    return peek(str(Path(policy.state) / "sessions" / file_name("opencode", "ses_1")))


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy({}, str(tmp_path))


@pytest.mark.parametrize("attended", [True, False])
def test_the_same_call_with_the_same_result_is_denied_and_then_ends_the_session(
    policy: Policy, attended: bool
) -> None:
    answers: list[dict[str, Any]] = []
    for number in range(1, 13):
        ended = part(call=f"call_{number - 1}", status="completed", output="same")
        denied = part(call=f"call_{number - 1}", status="error", error="[runaway] no")
        told = [denied if answers and "deny" in answers[-1] else ended] if number > 1 else []
        answers.append(said(policy, numbered(number, told, attended=attended), NOW + number))
    assert [number for number, answer in enumerate(answers, 1) if "note" in answer] == [4]
    assert next(number for number, answer in enumerate(answers, 1) if "deny" in answer) == 6
    assert [number for number, answer in enumerate(answers, 1) if "stop" in answer] == [12]


def test_a_prompt_of_a_person_begins_anew(policy: Policy) -> None:
    for number in range(1, 8):
        said(policy, numbered(number, []), NOW + number)
    assert said(policy, SPOKEN, NOW + 8) == {}
    assert said(policy, numbered(8, []), NOW + 9) == {}


def test_failing_rounds_are_stopped_even_when_every_call_differs(policy: Policy) -> None:
    first_denied = 0
    for number in range(1, 9):
        last = {**part(call=f"call_{number - 1}", status="error", error=f"no {number}")}
        told = [{**last, "messageID": f"msg_{number}"}] if number > 1 else []
        answer = said(policy, numbered(number, told, args={"command": f"x {number}"}), NOW + number)
        first_denied = first_denied or ("deny" in answer) * number
    assert first_denied == 7


def test_spend_is_the_sum_of_what_opencode_told_each_message_once(policy: Policy) -> None:
    said(policy, numbered(1, []), NOW)
    said(policy, numbered(2, [PART, MESSAGE, MESSAGE]), NOW + 1)
    said(policy, {**IDLE, "told": [MESSAGE, {**MESSAGE, "id": "msg_3", "cost": 0.5}]}, NOW + 2)
    below = {**MESSAGE, "id": "msg_4", "cost": 0.25}
    said(policy, {**IDLE, "agent": "ses_2", "told": [below]}, NOW + 3)
    assert state(policy)["spend"]["total"] == pytest.approx(0.0076 + 0.5 + 0.25)
    assert "unknown" not in state(policy)["spend"]


def test_a_price_of_the_users_own_outranks_what_opencode_reckons(tmp_path: Path) -> None:
    row = [0, 10, 50, 1, 1.25, 2, 0, 1, 1, 1, 1, 10]
    policy = Policy({"prices": {"claude-opus-4-6": [row]}}, str(tmp_path))
    said(policy, IDLE, NOW)
    expected = (1000 * 10 + 200 * 1 + 130 * 50) / 1e6
    assert state(policy)["spend"]["total"] == pytest.approx(expected)


def test_past_the_cap_the_next_prompt_is_held_back(tmp_path: Path) -> None:
    policy = Policy({"session_cap": 1.0}, str(tmp_path))
    said(policy, {**IDLE, "told": [{**MESSAGE, "cost": 1.5}]}, NOW)
    answer = said(policy, {**SPOKEN, "prompt": "msg_9"}, NOW + 1)
    assert "this session has cost $1.50" in answer["deny"]
    assert answer["show"] == answer["deny"]
