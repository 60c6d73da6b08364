"""Sessions recorded from Claude Code 2.1.332 against a scripted model, and records of older ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from runaway.guard.transcripts import (
    CALL,
    FAILED,
    KIND,
    NEUTRAL,
    OK,
    PROMPT,
    REFUSED,
    REPORTED_TOTAL,
    RESULT,
    USAGE,
    accounts,
    claude,
    session_files,
)
from tests.guard.transcripts.records import (
    CLAUDE,
    MODEL,
    NOON,
    assistant,
    call,
    cost_state,
    line,
    price,
    prompt,
    result,
)

if TYPE_CHECKING:
    from runaway.guard.state import Account, LogState

Event = Any

# What `claude --output-format json` said the session had cost, in dollars.
ORACLE = {
    "plain": 0.027056,
    "cache": 0.28018,  # 5-minute and 1-hour writes, reads
    "two-models": 0.11854598,  # a haiku subagent, beyond its 100,000-token tier
    "long-context": 0.04742,
    "subagent": 0.0249012,
    "background-subagent": 0.0169506,
    "resumed": 0.0276,  # twice
    "fork": 0.0166,  # what it inherited included
    "compacted": 0.0346,  # the request that compacts leaves no record
    "auto-compacted": 4.7528,
    "failing-calls": 0.0048,
    "denied": 0.0024,
    "ask-unattended": 0.0024,
    "foreign-denial": 0.0016,
}


def golden(name: str) -> Path:
    return CLAUDE / name / "session.jsonl"


def account_of(transcript: Path) -> Account:
    memory: LogState = {}
    for _ in session_files.catch_up(claude, str(transcript), "session", memory, NOON, price):
        pass
    return memory["account"]


def told(*lines: bytes, kind: int | None = None) -> list[Event]:
    return [event for event in claude.events(lines, {}) if kind in (None, event[KIND])]


def told_of(name: str, kind: int) -> list[Event]:
    return told(*golden(name).read_bytes().split(b"\n"), kind=kind)


@pytest.mark.parametrize(("name", "total"), ORACLE.items(), ids=ORACLE)
def test_a_session_costs_what_claude_code_says(name: str, total: float) -> None:
    assert accounts.total(account_of(golden(name))) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("name", sorted(ORACLE.keys() - {"compacted", "auto-compacted"}))
def test_it_costs_the_same_while_claude_code_has_not_told_its_own_total(
    name: str, tmp_path: Path
) -> None:
    for path in (CLAUDE / name).rglob("*.jsonl"):
        copy = tmp_path / path.relative_to(CLAUDE / name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_bytes().split(b"\n")
        copy.write_bytes(b"\n".join(text for text in lines if b"cost-state" not in text))
    account = account_of(tmp_path / "session.jsonl")
    assert account["floor"] == 0
    assert accounts.total(account) == pytest.approx(ORACLE[name], abs=1e-9)


@pytest.mark.parametrize("usage_only", [False, True])
@pytest.mark.parametrize(
    ("fields", "billed"),
    [
        pytest.param(
            {"requestedModel": "claude-opus-5-5"}, "claude-opus-5-5", id="asked for another"
        ),
        pytest.param({}, MODEL, id="an older release does not say"),
        pytest.param({"requestedModel": None}, MODEL, id="says nothing"),
    ],
)
def test_a_response_costs_what_the_model_costs_that_was_asked_for(
    fields: dict[str, Any], billed: str, usage_only: bool
) -> None:
    event: Event
    [event] = claude.events([assistant("msg_1", 10, **fields)], {}, usage_only)
    assert event[3] == billed


def test_a_fork_knows_what_it_inherited() -> None:
    assert account_of(golden("fork"))["inherited"] == pytest.approx(0.0068, abs=1e-9)


def test_a_background_agent_that_wakes_the_session_is_no_person() -> None:
    assert [event[3] for event in told_of("background-subagent", PROMPT)] == [True, False]


def test_compaction_is_no_prompt_and_the_command_of_a_person_is() -> None:
    prompts = [event[3] for event in told_of("compacted", PROMPT)]
    assert prompts == [True, True, True]  # hello, /compact, again
    assert len(told_of("auto-compacted", PROMPT)) == 1


def test_the_task_of_a_subagent_is_no_prompt() -> None:
    (task,) = (CLAUDE / "subagent" / "session" / "subagents").glob("*.jsonl")
    assert told(*task.read_bytes().split(b"\n"), kind=PROMPT) == []


def test_calls_that_no_hook_saw_are_told_with_their_results() -> None:
    calls = [(event[3], event[4]) for event in told_of("failing-calls", CALL)]
    assert calls[:3] == [
        (
            "Edit",
            {
                "replace_all": False,
                "file_path": "/home/u/nofile.txt",
                "old_string": "a",
                "new_string": "b",
            },
        ),
        ("Nonsense", {"x": 1}),
        ("Bash", {"cmd": "x"}),
    ]
    results = told_of("failing-calls", RESULT)
    assert [event[3] for event in results] == [FAILED] * 5 + [OK, FAILED]
    assert {event[2] for event in results} == {event[2] for event in told_of("failing-calls", CALL)}


def test_calls_of_one_response_are_one_round_and_so_are_their_results() -> None:
    rounds = [event[5] for event in told_of("failing-calls", RESULT)]
    assert len(set(rounds)) == 5
    assert rounds[4] == rounds[5] == rounds[6]
    assert rounds == [event[5] for event in told_of("failing-calls", CALL)]


@pytest.mark.parametrize("name", ["denied", "ask-unattended"])
def test_what_the_guard_kept_from_running_is_no_evidence(name: str) -> None:
    results = told_of(name, RESULT)
    assert results
    assert {event[3] for event in results} == {NEUTRAL}
    assert not any(event[6] for event in results)


def test_what_a_foreign_hook_denies_is_a_refusal() -> None:
    assert {event[3] for event in told_of("foreign-denial", RESULT)} == {REFUSED}


NEUTRALS = {
    "by a person": result(
        "c", "The user doesn't want to proceed with this tool use. STOP", error=True
    ),
    "by the guard, before 2.1.2xx": result("c", "[runaway] the same call", error=True),
    "by the guard, since then": result(
        "c",
        "PreToolUse:Bash hook error: [runaway] no",
        error=True,
        toolDenialKind="permission-rule",
    ),
    "by a person, in a dialog": result(
        "c",
        "whatever",
        error=True,
        toolDenialKind="user-rejected",
        permissionDecision={"decision": "reject", "source": "user_reject"},
    ),
    "by a sibling": result(
        "c", "<tool_use_error>Sibling tool call errored</tool_use_error>", error=True
    ),
    "by a parallel call": result("c", "Cancelled: parallel tool call Bash errored", error=True),
    "marked as denied": result("c", "whatever", error=True, toolDenialKind="user-rejected"),
    "decided against": result(
        "c", "whatever", error=True, permissionDecision={"decision": "reject"}
    ),
    "interrupted": result("c", "half", toolUseResult={"stdout": "half", "interrupted": True}),
}
EVIDENCE = {
    "a success": (result("c", "fine"), OK),
    "a failure": (result("c", "Exit code 3", error=True), FAILED),
    "a success that speaks of refusals": (result("c", "Permission to use it is in LICENSE"), OK),
    "an invalid call": (result("c", "<tool_use_error>InputValidationError", error=True), FAILED),
    "a list of blocks": (
        result("c", [{"type": "text", "text": "Exit code 2"}], error=True),
        FAILED,
    ),
    "a search without a match": (result("c", "Exit code 1", error=True), OK),
    "exit code 1 with words": (result("c", "Exit code 1\nno such file", error=True), FAILED),
    "a rule, before 2.1.2xx": (result("c", "Permission to use Bash has been", error=True), REFUSED),
    "a foreign hook": (result("c", "PreToolUse:Bash hook error: no", error=True), REFUSED),
    "a foreign hook with other words": (
        result("c", "no", error=True, toolDenialKind="permission-rule"),
        REFUSED,
    ),
    "the automatic mode": (
        result("c", "no", error=True, toolDenialKind="automode-blocked"),
        REFUSED,
    ),
    "nobody to ask": (
        result(
            "c",
            "touch needs approval.",
            error=True,
            toolDenialKind="user-rejected",
            permissionDecision={"decision": "reject", "source": "config"},
        ),
        REFUSED,
    ),
    "no flag": (
        line(
            {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "c"}]}}
        ),
        OK,
    ),
}


@pytest.mark.parametrize("refused", NEUTRALS.values(), ids=NEUTRALS)
def test_what_people_and_the_guard_hold_back_is_no_evidence(refused: bytes) -> None:
    assert [event[3] for event in told(refused)] == [NEUTRAL]


@pytest.mark.parametrize(("record", "outcome"), EVIDENCE.values(), ids=EVIDENCE)
def test_results_are_evidence(record: bytes, outcome: str) -> None:
    assert [event[3] for event in told(record)] == [outcome]


@pytest.mark.parametrize(
    ("decision", "approved"),
    [
        ({"decision": "accept", "source": "user_temporary", "reasonCode": "hook:PreToolUse"}, True),
        ({"decision": "accept", "source": "user_temporary", "reasonCode": "rule"}, False),
        ({"decision": "accept", "source": "config", "reasonCode": "hook:PreToolUse"}, False),
        ({"decision": "reject", "source": "user_reject", "reasonCode": "hook:PreToolUse"}, False),
        ("accept", False),
    ],
)
def test_the_yes_of_a_person_to_a_hook_is_told(decision: Any, approved: bool) -> None:
    assert [event[6] for event in told(result("c", "ok", permissionDecision=decision))] == [
        approved
    ]


PEOPLE = {
    "typed": prompt("fix it", promptId="p", turnOrigin="human", promptSource="typed"),
    "given to claude -p": prompt("fix it", promptId="p", turnOrigin="sdk", promptSource="sdk"),
    "typed, before there was a mark": prompt("fix it", uuid="p"),
    "a picture": prompt(
        [{"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "fix"}], uuid="p"
    ),
    "markup": prompt("<html>is this right?", uuid="p"),
    "a command": prompt("<command-name>/compact</command-name>", uuid="p"),
    "typed while the agent works": line(
        {
            "type": "attachment",
            "uuid": "p",
            "attachment": {"type": "queued_command", "prompt": "stop"},
        }
    ),
}
NOBODY = {
    "a finished task": prompt("<task-notification>", promptId="p", turnOrigin="task_notification"),
    "a finished task, before there was a mark": prompt("<task-notification>x", uuid="p"),
    "the harness": prompt("wake up", promptId="p", promptSource="system"),
}
NO_PROMPTS = {
    "the summary of a compaction": prompt("This session is being continued", isCompactSummary=True),
    "a note of the harness": prompt("<local-command-caveat>", isMeta=True),
    "the output of a command": prompt("<local-command-stdout>Compacted"),
    "an interruption": prompt([{"type": "text", "text": "[Request interrupted by user]"}]),
    "a continuation by a stop hook": prompt("Stop hook feedback:\n- go on"),
    "the task of a subagent": prompt("search", isSidechain=True),
    "a queued notification": line(
        {
            "type": "attachment",
            "attachment": {"type": "queued_command", "prompt": "<task-notification>"},
        }
    ),
    "a result": result("c", "ok"),
}


@pytest.mark.parametrize("record", PEOPLE.values(), ids=PEOPLE)
def test_what_a_person_wrote_is_a_human_prompt(record: bytes) -> None:
    assert [(e[2], e[3]) for e in told(record, kind=PROMPT)] == [("p", True)]


@pytest.mark.parametrize("record", NOBODY.values(), ids=NOBODY)
def test_turns_that_nobody_began_are_prompts_of_no_person(record: bytes) -> None:
    assert [(e[2], e[3]) for e in told(record, kind=PROMPT)] == [("p", False)]


@pytest.mark.parametrize("record", NO_PROMPTS.values(), ids=NO_PROMPTS)
def test_nothing_else_is_a_prompt(record: bytes) -> None:
    assert told(record, kind=PROMPT) == []


def usage_of(**usage: Any) -> Any:
    message = {"id": "m", "model": MODEL, "usage": usage}
    (event,) = told(line({"type": "assistant", "message": message}))
    return event[4]


def test_cache_writes_without_their_lifetime_are_five_minute_writes() -> None:
    usage = usage_of(cache_creation_input_tokens=70)
    assert (usage.cache_write_5m, usage.cache_write_1h) == (70, 0)


def test_cache_writes_are_told_apart_by_their_lifetime() -> None:
    split = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 40}
    usage = usage_of(cache_creation_input_tokens=70, cache_creation=split)
    assert (usage.cache_write_5m, usage.cache_write_1h) == (30, 40)


def test_searches_fast_mode_and_the_country_are_told() -> None:
    usage = usage_of(
        output_tokens=1,
        server_tool_use={"web_search_requests": 3},
        speed="fast",
        inference_geo="us",
    )
    assert (usage.web_searches, usage.speed, usage.us) == (3, "fast", True)


def test_a_message_of_the_harness_about_an_api_error_costs_nothing() -> None:
    message = {
        "id": "uuid",
        "model": "<synthetic>",
        "usage": {"input_tokens": 5, "output_tokens": 5},
    }
    assert told(line({"type": "assistant", "message": message})) == []
    assert told(assistant("m", 5, isApiErrorMessage=True)) == []


def test_the_identity_is_that_of_the_message_whatever_the_request() -> None:
    lines = [assistant("m", 5), assistant("m", 5, requestId="r"), assistant("m", 5, requestId="r2")]
    assert [event[2] for event in told(*lines)] == ["m", "m", "m"]


def test_a_total_that_is_partly_a_guess_is_no_floor() -> None:
    assert [event[2] for event in told(cost_state(1.5), kind=REPORTED_TOTAL)] == [1.5]
    assert told(cost_state(1.5, hasUnknownModelCost=True)) == []
    assert told(cost_state(float("nan"))) == []


def test_spaces_between_the_fields_change_nothing() -> None:
    lines = [
        assistant("msg_1", 5, content=[call("c")]),
        result("c", "ok"),
        cost_state(1),
        prompt("x", uuid="p"),
    ]
    loose = [json.dumps(json.loads(text)).encode() for text in lines]
    assert untimed(told(*loose)) == untimed(told(*lines))


def untimed(events: list[Event]) -> list[Any]:
    return [[item for item in event if isinstance(item, (str, int, dict))] for event in events]


def test_fields_in_another_order_change_nothing() -> None:
    text = assistant("msg_1", 5, content=[call("c", usage={"output_tokens": 1})])
    record = json.loads(text)
    message = record["message"]
    orders = [
        line(
            {
                **record,
                "message": {"usage": message["usage"], "content": message["content"], **message},
            }
        ),
        line(dict(sorted(record.items(), reverse=True))),
        line({"cwd": "/" + "x" * 1500, **record}),
    ]
    for other in orders:
        for usage_only in (False, True):
            (event,) = (e for e in claude.events([other], {}, usage_only) if e[KIND] == USAGE)
            assert (event[2], event[3], event[4].output) == ("msg_1", MODEL, 5)


@pytest.mark.parametrize("name", ORACLE)
def test_reading_for_the_money_alone_leaves_out_calls_and_results_and_nothing_else(
    name: str,
) -> None:
    lines = golden(name).read_bytes().split(b"\n")
    everything: list[Event] = []
    seen = set()
    event: Event
    for event in claude.events(lines, {}):
        if event[KIND] not in (CALL, RESULT) and (event[KIND] != USAGE or event[2] not in seen):
            everything.append(event)
            seen.add(event[2])
    money = list(claude.events(lines, {}, usage_only=True))
    assert untimed(money) == untimed(everything)


def test_a_response_that_grows_is_told_each_time_it_is_larger() -> None:
    lines = [assistant("msg_1", output) for output in (1, 1, 30, 30)]
    told: list[Event] = list(claude.events(lines, {}, usage_only=True))
    outputs = [event[4].output for event in told]
    assert outputs == [1, 30]


def test_files_are_those_below_the_session_with_the_main_agent_last(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    (folder / "workflows" / "run").mkdir(parents=True)
    for name in (
        "agent-b.jsonl",
        "agent-b.meta.json",
        "workflows/run/agent-a.jsonl",
        "notes.jsonl",
    ):
        (folder / name).touch()
    (folder / "loop").symlink_to(folder)
    transcript = f"{tmp_path}/s.jsonl"
    assert claude.files(transcript, "s", {}) == [
        ("a", f"{folder}/workflows/run/agent-a.jsonl"),
        ("b", f"{folder}/agent-b.jsonl"),
        ("", transcript),
    ]


def test_the_iterations_of_a_response_are_billed_one_by_one() -> None:
    """A public case: ccusage/ccusage#1115."""
    told = {"input_tokens": 9_000, "output_tokens": 585}
    advised = {"input_tokens": 159_419, "output_tokens": 7_805, "model": "claude-opus-5-5"}
    usage = {
        **told,
        "iterations": [
            {"type": "message", **told},
            {"type": "advisor_message", **advised},
            {"type": "compaction", "input_tokens": 10**6, "output_tokens": 1},
        ],
    }
    message = {"id": "msg_1", "model": "claude-opus-5-5", "content": [], "usage": usage}
    events: list[Any] = [*claude.events([line({"type": "assistant", "message": message})], {})]
    [event] = events
    assert price(event[3], event[4], NOON) == pytest.approx(0.0477 + 0.7938, abs=1e-4)


def test_a_reply_of_another_model_is_told_beside_the_one_that_was_asked_for() -> None:
    message = {
        "id": "msg_1",
        "model": "claude-haiku-4-5",
        "content": [],
        "usage": {"input_tokens": 1},
    }
    record = {"type": "assistant", "message": message, "requestedModel": "arn:aws:bedrock:x/abc"}
    told: list[Any] = [*claude.events([line(record)], {})]
    [event] = told
    assert (event[3], event[4].replied) == ("arn:aws:bedrock:x/abc", "claude-haiku-4-5")
