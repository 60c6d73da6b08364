"""Golden payloads of every event, as our extension sends them from Pi 1.6.0, ids shortened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import (
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
    ON_PROMPT,
    ON_RESPONSE,
    ON_USAGE,
    OTHER,
    SHELL,
    SPAWN,
    STOP,
)
from runaway.guard.dialects import pi
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.session import Session, file_name, peek
from runaway.guard.transcripts import CALL as MADE
from runaway.guard.transcripts import FAILED, NEUTRAL, OK, RESULT, USAGE

NOW = 1_800_000_000.0
STAMP = "2027-01-15T08:00:00.500Z"
COMMON = {"session": "01a2-s", "directory": "/home/u/app", "attended": False}
CALL = {
    **COMMON,
    "event": "tool_call",
    "tool": "bash",
    "call": "toolu_1",
    "args": {"command": "npm test", "timeout": 60},
    "told": [],
}
SPOKEN = {**COMMON, "event": "before_agent_start", "prompt": "1800000000000", "unasked": False}
REPEATING = {**COMMON, "event": "message_update", "repeats": 12}
RESPONSE = {
    "id": "8327ef39",
    "timestamp": STAMP,
    "round": "8327ef39",
    "message": {
        "role": "assistant",
        "model": "claude-opus-4-6",
        "responseId": "msg_1",
        "usage": {
            "input": 1000,
            "output": 100,
            "cacheRead": 200,
            "cacheWrite": 0,
            "totalTokens": 1300,
            "cost": {"input": 0.005, "output": 0.0025, "cacheRead": 0.0001, "total": 0.0076},
        },
        "content": [
            {"type": "toolCall", "id": "toolu_1", "name": "bash", "arguments": {"nothing": 1}}
        ],
    },
}
COMPACTED = {"id": "c1", "timestamp": STAMP, "usage": {"input": 9, "cost": {"total": 0.25}}}


def result(text: str, *, error: bool = False, call: str = "toolu_1", note: str = "") -> Any:
    content = [{"type": "text", "text": one} for one in (text, note) if one]
    message = {"role": "toolResult", "toolCallId": call, "content": content, "isError": error}
    return {"id": "4961aed6", "timestamp": STAMP, "round": "8327ef39", "message": message}


def told(*entries: Any, **more: Any) -> Any:
    return pi.read({**CALL, "told": list(entries), **more}, NOW).batch


def test_a_call_is_read() -> None:
    call = pi.read(CALL, NOW)
    assert (call.harness, call.stage, call.session, call.agent) == ("pi", BEFORE_CALL, "01a2-s", "")
    assert (call.id, call.tool, call.kind, call.cwd) == ("toolu_1", "bash", SHELL, "/home/u/app")
    assert (call.arguments, call.attended) == ({"command": "npm test"}, False)
    assert (call.transcript, call.prompt, call.batch) == ("", "", ())


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("write", EDIT), ("edit", EDIT), ("subagent", SPAWN), ("read", OTHER), ("powershell", SHELL)],
)
def test_what_tools_do(tool: str, kind: str) -> None:
    assert pi.read({**CALL, "tool": tool}, NOW).kind == kind


@pytest.mark.parametrize("event", ["input", "before_agent_start"])
@pytest.mark.parametrize("unasked", [True, False])
def test_a_prompt_is_a_persons_unless_an_extension_wrote_it(event: str, unasked: bool) -> None:
    call = pi.read({**SPOKEN, "event": event, "unasked": unasked}, NOW)
    assert call.stage == ON_PROMPT
    [(*_, id, human)] = call.batch
    assert (id, human) == ("1800000000000", not unasked)


@pytest.mark.parametrize("event", ["turn_end", "agent_end", "agent_settled"])
def test_what_is_left_is_told_after_a_turn(event: str) -> None:
    call = pi.read({**COMMON, "event": event, "told": [RESPONSE]}, NOW)
    assert (call.stage, len(call.batch)) == (ON_USAGE, 2)


def test_a_response_tells_its_money_and_every_call() -> None:
    (kind, when, id, model, usage, inherited), made = told(RESPONSE)
    assert (kind, when, id, model, inherited) == (
        USAGE,
        NOW + 0.5,
        "msg_1",
        "claude-opus-4-6",
        False,
    )
    assert (usage.input, usage.output, usage.cache_read, usage.dollars) == (1000, 100, 200, 0.0076)
    assert made == (MADE, NOW + 0.5, "toolu_1", "bash", {"nothing": 1}, "8327ef39", "")


def test_a_compaction_costs_too() -> None:
    [(kind, _, id, _, usage, _)] = told(COMPACTED)
    assert (kind, id, usage.dollars) == (USAGE, "c1", 0.25)


@pytest.mark.parametrize("cost", [None, "1", -1, True, float("nan"), float("inf"), 10**40, {}])
def test_a_cost_that_cannot_be_one_is_none(cost: Any) -> None:
    [event] = told({**COMPACTED, "usage": {"cost": {"total": cost}}})
    assert event[4].dollars == 0


@pytest.mark.parametrize(
    ("text", "error", "outcome"),
    [
        ("hi\n", False, OK),
        ("hi\n\n\nCommand exited with code 3", True, FAILED),
        ("(no output)\n\nCommand exited with code 1", True, OK),
        ("(no output)\n\nCommand exited with code 2", True, FAILED),
        ("ENOENT: no such file or directory, access '/none'", True, FAILED),
        ("Tool missing not found", True, FAILED),
        ('Validation failed for tool "bash":\n  - command: missing', True, FAILED),
        ("[runaway] the same bash call", True, NEUTRAL),
        ("partial\n\nCommand aborted", True, NEUTRAL),
        ("Operation aborted", True, NEUTRAL),
    ],
)
def test_what_became_of_a_call(text: str, error: bool, outcome: str) -> None:
    [event] = told(result(text, error=error))
    assert event[:4] == (RESULT, NOW + 0.5, "toolu_1", outcome)
    assert event[5] == "8327ef39"


def test_our_own_note_behind_a_result_makes_it_no_other_result() -> None:
    first, second = told(result("again\n"), result("again\n", note="[runaway] the same bash call"))
    assert first[4] == second[4]


@pytest.mark.parametrize("news", [None, "x", {}, [None, 1, "x", {}, {"message": 1}]])
def test_news_of_another_shape_are_none(news: Any) -> None:
    assert pi.read({**CALL, "told": news}, NOW).batch == ()


def test_a_response_that_repeats_itself_is_read() -> None:
    call = pi.read(REPEATING, NOW)
    assert (call.stage, call.repeats, call.tool) == (ON_RESPONSE, 12, "")


# Answers


@pytest.mark.parametrize(
    ("payload", "level", "expected"),
    [
        (CALL, NOTE, {"note": "text", "show": "text"}),
        ({**CALL, "attended": True}, ASK, {"ask": "text"}),
        (CALL, DENY, {"deny": "text", "show": "text"}),
        ({**CALL, "attended": True}, DENY, {"deny": "text"}),
        (CALL, STOP, {"deny": "text", "show": "text", "stop": True}),
        ({**SPOKEN, "attended": True}, DENY, {"deny": "text", "show": "text"}),
        (REPEATING, STOP, {"deny": "text", "show": "text", "stop": True}),
    ],
)
def test_answers(payload: dict[str, Any], level: int, expected: dict[str, Any]) -> None:
    assert json.loads(pi.answer(pi.read(payload, NOW), level, "text")) == expected


# Through the whole guard


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy({}, str(tmp_path))


def said(policy: Policy, payload: dict[str, Any], now: float = NOW) -> dict[str, Any]:
    output = reply("pi", json.dumps(payload).encode(), policy, now)
    return dict(json.loads(output)) if output else {}


def state(policy: Policy) -> dict[str, Any]:
    return peek(str(Path(policy.state) / "sessions" / file_name("pi", "01a2-s")))


def steps(policy: Policy, count: int, **changes: Any) -> list[str]:
    """What is answered to the same call with the same result, as words."""
    words, before = list[str](), list[Any]()
    for number in range(1, count + 1):
        call = {**CALL, "call": f"t{number}", "told": before, **changes}
        answer = said(policy, call, NOW + number)
        refused = bool({"ask", "deny"} & answer.keys())
        before = [result("[runaway] no" if refused else "same", error=refused, call=f"t{number}")]
        words.append("stop" if "stop" in answer else next(iter(answer), ""))
    return words


def test_the_same_call_with_the_same_result_is_noted_denied_and_ends_the_turn(
    policy: Policy,
) -> None:
    assert steps(policy, 12) == ["", "", "", "note", "", *["deny"] * 6, "stop"]


def test_on_a_terminal_a_person_is_asked_first(policy: Policy) -> None:
    assert steps(policy, 6, attended=True)[-1] == "ask"


def test_a_prompt_of_a_person_begins_anew(policy: Policy) -> None:
    steps(policy, 7)
    assert said(policy, SPOKEN, NOW + 8) == {}
    assert said(policy, {**CALL, "call": "x"}, NOW + 9) == {}


def test_calls_that_no_handler_was_told_of_end_the_turn_when_they_go_on_failing(
    policy: Policy,
) -> None:
    answers = []
    for number in range(1, 8):
        call = {"type": "toolCall", "id": f"t{number}", "name": "bash", "arguments": {"n": number}}
        message = {"role": "assistant", "content": [call], "usage": {}}
        made = {"id": f"r{number}", "timestamp": STAMP, "message": message}
        ended = {**result(f"no {number}", error=True, call=f"t{number}"), "round": f"r{number}"}
        turn = {**COMMON, "event": "turn_end", "told": [made, ended]}
        answers.append("stop" in said(policy, turn, NOW + number))
    assert answers.index(True) == 5


def test_spend_is_the_sum_of_what_pi_computed_each_response_once(policy: Policy) -> None:
    said(policy, {**CALL, "told": [RESPONSE, RESPONSE]})
    said(policy, {**COMMON, "event": "agent_end", "told": [RESPONSE, COMPACTED]}, NOW + 1)
    assert state(policy)["spend"]["total"] == pytest.approx(0.0076 + 0.25)


def test_past_the_cap_the_next_run_is_held_back(tmp_path: Path) -> None:
    policy = Policy({"session_cap": 0.2}, str(tmp_path))
    said(policy, {**COMMON, "event": "agent_end", "told": [COMPACTED]})
    assert "this session has cost $0.25" in said(policy, SPOKEN, NOW + 1)["deny"]


@pytest.mark.parametrize(("repeats", "cut"), [(9, False), (10, True), (None, False)])
def test_a_response_is_cut_when_it_repeats_itself(policy: Policy, repeats: Any, cut: bool) -> None:
    answer = said(policy, {**REPEATING, "repeats": repeats})
    assert answer.get("stop", False) is cut
    assert ("the same passage 10 times in a row" in answer.get("show", "")) is cut


def test_who_only_observes_cuts_nothing(tmp_path: Path) -> None:
    assert said(Policy({"observe": True}, str(tmp_path)), REPEATING) == {}


def test_what_a_person_has_lifted_is_not_cut(policy: Policy) -> None:
    session = Session(policy.state, "pi", "01a2-s")
    session.state["lifted_until"] = NOW + 60
    session.save()
    session.close()
    assert said(policy, REPEATING) == {}
