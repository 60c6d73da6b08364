"""Steps as the core 0.1.22 writes them, shortened."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.guard.transcripts import CALL, FAILED, NEUTRAL, OK, PROMPT, RESULT, USAGE, antigravity

STAMP = "2027-01-15T08:00:00Z"
WHEN = 1_800_000_000.0
HEAD = f"Created At: {STAMP}\nCompleted At: {STAMP}\n\n"
LOG = "/h/.gemini/antigravity/brain/b9e8/.system_generated/logs/transcript_full.jsonl"


def step(number: int, type: str, source: str = "MODEL", **more: Any) -> dict[str, Any]:
    about = {"step_index": number, "source": source, "type": type, "created_at": STAMP}
    return {**about, "status": "DONE", **more}


def planned(number: int, *calls: Any) -> dict[str, Any]:
    tokens: dict[str, Any] = {"input_tokens": 1000, "cache_read_tokens": 200, "output_tokens": 100}
    made = [{"name": "run_command", "args": {"CommandLine": one}} for one in calls]
    return step(number, "PLANNER_RESPONSE", **tokens, tool_calls=made)


def ended(number: int, text: str = "hi", code: int = 0) -> dict[str, Any]:
    content = f"{HEAD}The command exited with code {code}.\nOutput:\n{text}\n"
    return step(number, "RUN_COMMAND", exit_code=code, content=content)


def told(*steps: Any, usage_only: bool = False) -> list[Any]:
    lines = [json.dumps(one).encode() for one in steps]
    return list(antigravity.events(lines, {}, usage_only))


def test_a_prompt_is_a_persons_if_it_says_so() -> None:
    own, other = step(0, "USER_INPUT", "USER_EXPLICIT"), step(4, "USER_INPUT", "SYSTEM")
    assert told(own, other) == [(PROMPT, WHEN, "0", True), (PROMPT, WHEN, "4", False)]


def test_a_response_tells_its_tokens_and_its_calls_by_their_steps() -> None:
    (kind, when, id, model, usage, _), *calls = told(planned(1, "a", "b"))
    assert (kind, when, id, model) == (USAGE, WHEN, "1", "gemini")
    assert (usage.input, usage.output, usage.cache_read) == (1000, 100, 200)
    assert calls == [
        (CALL, WHEN, "2", "run_command", {"CommandLine": "a"}, "1", ""),
        (CALL, WHEN, "3", "run_command", {"CommandLine": "b"}, "1", ""),
    ]


def test_the_calls_of_a_response_are_one_round_also_where_one_is_written_before_it() -> None:
    steps = (ended(2), planned(1, "a", "b"), ended(3), planned(4, "c"), ended(5))
    results = [event for event in told(*steps) if event[0] == RESULT]
    assert [(event[2], event[5]) for event in results] == [("2", "1"), ("3", "1"), ("5", "4")]


DENIED = "denied by pre-tool hook: "
UNKNOWN = "There was a problem parsing the tool call. unknown tool name: `missing`"


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (ended(2), OK),
        (ended(2, "x", 3), FAILED),
        (ended(2, "x", 1), FAILED),
        (ended(2, "", 1), OK),
        (step(2, "VIEW_FILE", status="ERROR", error="path /none does not exist"), FAILED),
        (step(2, "ERROR_MESSAGE", "SYSTEM", error=UNKNOWN), FAILED),
        (step(2, "ERROR_MESSAGE", error=DENIED + "[runaway] the same call"), NEUTRAL),
        (step(2, "ERROR_MESSAGE", error=DENIED + "not on Fridays"), "refused"),
    ],
)
def test_what_became_of_a_call(result: dict[str, Any], outcome: str) -> None:
    [event] = told(result)
    assert event[:4] == (RESULT, WHEN, "2", outcome)


def test_the_times_of_a_step_make_no_other_result() -> None:
    later = {**ended(2), "content": ended(2)["content"].replace("08:00", "09:30")}
    [first], [second] = told(ended(2)), told(later)
    assert first[4] == second[4]


def test_where_only_money_is_wanted() -> None:
    assert [event[0] for event in told(planned(1, "a"), ended(2), usage_only=True)] == [USAGE]


@pytest.mark.parametrize(
    "line", [b"", b"{", b'{"step_index": "x"}', b'{"step_index": null}', b"[]"]
)
def test_a_broken_line_hides_nothing(line: bytes) -> None:
    whole = json.dumps(ended(2)).encode()
    assert len(list(antigravity.events([line, whole], {}))) == 1


def test_whose_log_it_is() -> None:
    assert antigravity.owner(ended(2), LOG) == ("b9e8", "")
    assert antigravity.owner(ended(2), "/h/other.jsonl") is None
    assert antigravity.owner({"type": "session"}, LOG) is None
