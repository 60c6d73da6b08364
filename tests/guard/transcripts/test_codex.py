"""Sessions recorded from Codex CLI 0.130, 0.150 and 0.171 against a scripted model, and odd rollouts."""

from __future__ import annotations

from collections.abc import Iterable
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
    codex,
    session_files,
)
from tests.guard.transcripts.records import (
    CODEX,
    NOON,
    plain,
    price,
    rollout,
    session_meta,
    token_count,
    token_record,
    tokens,
    turn,
)

Event = Any

PARENT = "01a22cb0-0000-7000-8000-000000000000"
PARENT_TURN = "01a22cb0-0001-7000-8000-000000000000"
THREAD = "01a22cb7-0000-7000-8000-000000000000"
TURN = "01a22cb7-0001-7000-8000-000000000000"

RESUMED = [
    (800, 200, 0, 50),
    (500, 900, 100, 60),
    (700, 900, 0, 5),
    (1700, 0, 0, 5),
    (10, 0, 0, 1),
    (2000, 0, 0, 10),
    (10, 0, 0, 1),
]
RESUMED_130 = [(600, 900, 0, 60) if used == (500, 900, 100, 60) else used for used in RESUMED]
FORK = [(1900, 100, 0, 20), (30, 0, 0, 3), (5000, 0, 0, 77)]
MAIN = [(800, 200, 0, 50), (900, 200, 0, 55), (1000, 200, 0, 60), (10, 0, 0, 1)]
SUBAGENT = [(2900, 100, 0, 30), (3100, 0, 0, 31)]
# What the scripted model was asked to bill, (input, cache read, cache write, output): the subagents'
# first. 0.130 tells of no cache writes; it asked the model once more at the end.
ORACLE = {
    "0.171-resumed": RESUMED,
    "0.150-resumed": RESUMED,
    "0.130-resumed": RESUMED_130,
    "0.171-fork-compacted": FORK,
    "0.150-fork-compacted": FORK,  # totals begin with those of the parent
    "0.130-fork-compacted": FORK,  # and all lines of the parent are copied
    "0.171-subagent": SUBAGENT + MAIN,  # whose context is copied
    "0.150-subagent": SUBAGENT + MAIN,
    "0.130-subagent": SUBAGENT + MAIN + MAIN[-1:],
    "0.171-code-mode": [SUBAGENT[0], (800, 200, 0, 50), (900, 200, 0, 55), (10, 0, 0, 1)],
}


def rollouts(name: str) -> list[Path]:
    return sorted((CODEX / name / "2026" / "11" / "30").iterdir())


def transcript(name: str) -> Path:
    """The fork where there is one, else the main agent's."""
    return rollouts(name)[-1 if "fork" in name else 0]


def catch_up(path: Path, session: str = "") -> list[tuple[str, Event, float]]:
    session = session or path.stem[-36:]
    return list(session_files.catch_up(codex, str(path), session, {}, NOON, price))


def billed(events: Iterable[Event]) -> list[tuple[float, ...]]:
    usages = [event[4] for event in events if event[KIND] == USAGE]
    return [(u.input, u.cache_read, u.cache_write_5m, u.output) for u in usages]


def told(*lines: bytes, kind: int | None = None) -> list[Event]:
    return [event for event in codex.events(lines, {}) if kind in (None, event[KIND])]


def told_of(name: str, kind: int) -> list[Event]:
    return [event for _, event, _ in catch_up(transcript(name)) if event[KIND] == kind]


@pytest.mark.parametrize("name", ORACLE)
def test_every_response_of_a_session_is_counted_once(name: str) -> None:
    assert billed(event for _, event, _ in catch_up(transcript(name))) == ORACLE[name]


@pytest.mark.parametrize("name", ["0.171-subagent", "0.150-subagent", "0.171-code-mode"])
def test_a_hook_of_the_subagent_sees_the_same_session(name: str) -> None:
    main, sub = rollouts(name)
    from_sub = [(agent, plain(event)) for agent, event, _ in catch_up(sub, main.stem[-36:])]
    assert from_sub == [(agent, plain(event)) for agent, event, _ in catch_up(main)]


def test_a_subagent_is_named_by_its_thread() -> None:
    _, sub = rollouts("0.171-subagent")
    agents = {agent for agent, _, _ in catch_up(transcript("0.171-subagent"))}
    assert agents == {"", sub.stem[-36:]}


def test_the_model_is_that_of_the_turn() -> None:
    assert {event[3] for event in told_of("0.171-code-mode", USAGE)} == {"gpt-6.2-sol"}


@pytest.mark.parametrize("name", ["0.171-resumed", "0.150-resumed", "0.130-resumed"])
def test_calls_stand_in_the_words_of_the_hook_with_outcome_and_round(name: str) -> None:
    calls = [(event[3], event[4], event[5]) for event in told_of(name, CALL)]
    assert calls == [
        ("Bash", {"command": "echo hi; exit 3"}, "1"),
        ("Bash", {"command": "echo a"}, "2"),
        ("Bash", {"command": "echo b"}, "2"),
        ("nonsense", {}, "3"),
        ("exec_command", "{bad", "4"),
        ("Bash", {"command": "echo r"}, "5"),
    ]
    results = sorted((event[5], event[3]) for event in told_of(name, RESULT))
    assert results == [("1", FAILED), ("2", OK), ("2", OK), ("3", FAILED), ("4", FAILED), ("5", OK)]
    assert {e[2] for e in told_of(name, RESULT)} == {e[2] for e in told_of(name, CALL)}


def test_calls_from_a_script_of_the_model_are_told_by_their_results() -> None:
    calls = [event for event in told_of("0.171-code-mode", CALL) if event[2].startswith("exec-")]
    assert [(event[4]["command"], event[6]) for event in calls] == [
        ("echo main", "/home/u/proj"),
        ("exit 7", "/home/u/proj"),
    ]
    results = {event[2]: event[3] for event in told_of("0.171-code-mode", RESULT)}
    assert [results[event[2]] for event in calls] == [OK, FAILED]


@pytest.mark.parametrize(
    ("item", "call"),
    [
        (
            {"type": "CommandExecution", "command": ["bash", "-lc", "make"], "cwd": "file:///x"},
            ("Bash", {"command": "make"}),
        ),
        (
            {"type": "FileChange", "changes": {"/a": {"type": "delete"}}},
            ("apply_patch", {"changes": {"/a": {"type": "delete"}}}),
        ),
        (
            {"type": "McpToolCall", "server": "db", "tool": "query", "arguments": {"sql": "x"}},
            ("mcp__db__query", {"sql": "x"}),
        ),
    ],
)
def test_whatever_a_script_calls_is_told_in_the_words_and_with_the_folder_of_the_hook(
    item: dict[str, Any], call: tuple[str, Any]
) -> None:
    lines = [turn("t1"), rollout("event_msg", type="item_completed", item={**item, "id": "exec-1"})]
    made: Event
    ended: Event
    made, ended = codex.events(lines, {})
    assert (made[3:5], made[6], ended[2]) == (call, "/home/u", "exec-1")


def test_an_aborted_call_is_no_evidence() -> None:
    outcomes = [
        e[3]
        for agent, e, _ in catch_up(transcript("0.171-code-mode"))
        if agent and e[KIND] == RESULT
    ]
    assert outcomes == [NEUTRAL]


@pytest.mark.parametrize("name", ORACLE)
def test_prompts_are_those_of_a_person(name: str) -> None:
    """Neither the copied prompts of a parent nor the task of a subagent."""
    expected = 2 if "resumed" in name else 1
    prompts = [
        (agent, event[3]) for agent, event, _ in catch_up(transcript(name)) if event[KIND] == PROMPT
    ]
    assert prompts == [("", True)] * expected


@pytest.mark.parametrize("name", ORACLE)
def test_reading_for_the_money_alone_finds_the_same_money(name: str) -> None:
    for path in rollouts(name):
        lines = path.read_bytes().split(b"\n")
        everything = list(codex.events(lines, {}))
        money = list(codex.events(lines, {}, usage_only=True))
        assert billed(money) == billed(everything)
        assert {event[KIND] for event in money} <= {USAGE, PROMPT}


def test_a_record_of_another_thread_is_a_copy() -> None:
    lines = [
        session_meta(THREAD),
        token_record(PARENT, "r1", tokens(1000)),
        token_record(THREAD, "r2", tokens(10)),
    ]
    assert billed(told(*lines)) == [(10, 0, 0, 0)]


def test_a_record_that_comes_twice_is_one_response() -> None:
    lines = [session_meta(THREAD), *[token_record(THREAD, "r1", tokens(1000))] * 2]
    account: Any = {}
    accounts.load(account)
    for event in told(turn(TURN), *lines):
        accounts.add(account, event, price)
    assert accounts.total(account) == pytest.approx(1000 * 5 / 1e6)


def test_where_there_are_records_totals_do_not_count() -> None:
    lines = [
        session_meta(THREAD, version="0.160.0"),
        token_record(THREAD, "r1", tokens(1000)),
        token_count(tokens(1000)),
        token_count(tokens(7000), tokens(6000)),  # an estimate around compaction
    ]
    assert billed(told(*lines)) == [(1000, 0, 0, 0)]


def test_a_total_before_the_first_record_does_not_count_where_records_will_come() -> None:
    lines = [session_meta(THREAD), token_count(tokens(9000), tokens(500))]
    assert billed(told(*lines)) == []


def test_totals_count_by_their_growth_however_often_they_are_repeated() -> None:
    lines = [
        session_meta(THREAD, version="0.130.0"),
        token_count(None),
        token_count(tokens(1000, 200, 0, 50)),
        token_count(tokens(1000, 200, 0, 50)),
        token_count(tokens(2500, 1100, 0, 110), tokens(1500, 900, 0, 60)),
        token_count(tokens(2500, 1100, 0, 110), tokens(6049)),
    ]
    assert billed(told(*lines)) == [(800, 200, 0, 50), (600, 900, 0, 60)]


@pytest.mark.parametrize(
    ("first", "counted"),
    [
        (token_count(tokens(3000, 0, 0, 20), tokens(2000, 0, 0, 10)), [(2000, 0, 0, 10)]),
        (token_count({**tokens(3000), "x": 0}, {"total_tokens": 0}), []),
    ],
    ids=["a response", "a repeat of the parent's total"],
)
def test_the_totals_of_a_fork_start_from_those_of_its_parent(
    first: bytes, counted: list[tuple[float, ...]]
) -> None:
    assert billed(told(session_meta(THREAD, version="0.150.1"), first)) == counted


def test_totals_that_shrink_start_anew() -> None:
    lines = [
        session_meta(THREAD, version="0.130.0"),
        token_count(tokens(1000)),
        token_count(tokens(300)),
        token_count(tokens(400)),
    ]
    assert billed(told(*lines)) == [(1000, 0, 0, 0), (100, 0, 0, 0)]


def copied_history(version: str) -> list[bytes]:
    return [
        session_meta(THREAD, version=version),
        session_meta(PARENT, version=version),
        turn(PARENT_TURN, "gpt-5.4"),
        rollout("event_msg", type="user_message", message="hi"),
        rollout("response_item", type="function_call", name="shell", arguments="{}", call_id="c1"),
        rollout("response_item", type="function_call_output", call_id="c1", output="ok"),
        token_count(tokens(1000)),
    ]


def test_the_copied_history_of_the_parent_is_not_told() -> None:
    assert told(*copied_history("0.130.0")) == []


def test_behind_the_copied_history_all_is_told() -> None:
    lines = [
        *copied_history("0.130.0"),
        turn(TURN),
        rollout("event_msg", type="user_message", message="go on"),
        token_count(tokens(1500), tokens(500)),
    ]
    events = told(*lines)
    assert [event[2] for event in events if event[KIND] == PROMPT] == [TURN]
    assert billed(events) == [(500, 0, 0, 0)]
    assert events[-1][3] == "gpt-5.5"


def output(said: Any, **payload: Any) -> bytes:
    return rollout(
        "response_item", type="function_call_output", call_id="c", output=said, **payload
    )


def item(kind: str, **fields: Any) -> bytes:
    return rollout("event_msg", type="item_completed", item={"type": kind, "id": "c", **fields})


OUTCOMES = {
    "exit code 0": (output("Wall time: 0.1\nProcess exited with code 0\nOutput:\nx"), OK),
    "another exit code": (
        output("Wall time: 0.1\nProcess exited with code 127\nOutput:\nx"),
        FAILED,
    ),
    "exit code of an old shell": (output('{"output":"x","metadata":{"exit_code":1}}'), FAILED),
    "exit code 0 of an old shell": (output('{"output":"x","metadata":{"exit_code":0}}'), OK),
    "blocks": (output([{"type": "input_text", "text": "Exit code: 2"}]), FAILED),
    "a flag": (output({"content": "x", "success": False}), FAILED),
    "no such tool": (output("unsupported call: frobnicate"), FAILED),
    "no such arguments": (output("failed to parse function arguments: x"), FAILED),
    "a patch that does not fit": (output("apply_patch verification failed: x"), FAILED),
    "an answer": (output("the file says: failed to parse"), OK),
    "silent with 1": (output("Wall time: 0\nProcess exited with code 1\nTokens: 0\nOutput:\n"), OK),
    "silent with 12": (output("Wall time: 0\nProcess exited with code 12\nOutput:\n"), FAILED),
    "with 1 and words": (output("Wall time: 0\nProcess exited with code 1\nOutput:\nx"), FAILED),
    "silent in an old shell": (output('{"output":"","metadata":{"exit_code":1}}'), OK),
    "a silent command": (
        item("CommandExecution", status="failed", exit_code=1, aggregated_output=""),
        OK,
    ),
    "1 and words": (
        item("CommandExecution", status="failed", exit_code=1, aggregated_output="x"),
        FAILED,
    ),
    "failed without a code": (item("CommandExecution", status="failed"), FAILED),
    "denied by a hook": (output("Command blocked by PreToolUse hook: no. Command: x"), REFUSED),
    "denied by a rule": (
        output('exec_command failed: CreateProcess { message: "Rejected(\\"`git push` rejected")'),
        REFUSED,
    ),
    "no approval to ask for": (output("approval policy is Never; reject command"), REFUSED),
    "a sandbox that only reads": (
        output("patch rejected: writing is blocked; rejected by user approval settings"),
        REFUSED,
    ),
    "declined by a person": (
        item("CommandExecution", status="declined", aggregated_output="rejected by user"),
        NEUTRAL,
    ),
    "denied by the guard": (output("Tool call blocked by PreToolUse hook: [runaway] x"), NEUTRAL),
    "aborted": (output("aborted by user after 0.1s"), NEUTRAL),
    "rejected": (output("exec_command failed: rejected by user"), NEUTRAL),
    "a command": (item("CommandExecution", status="completed", exit_code=0), OK),
    "a failed command": (item("CommandExecution", status="failed", exit_code=3), FAILED),
    "a failed patch": (item("FileChange", status="failed"), FAILED),
    "a declined patch": (item("FileChange", status="declined"), NEUTRAL),
    "an MCP error": (item("McpToolCall", status="completed", result={"isError": True}), FAILED),
    "an MCP answer": (item("McpToolCall", status="completed", result={"content": []}), OK),
}


@pytest.mark.parametrize(("record", "outcome"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcomes(record: bytes, outcome: str) -> None:
    assert [event[3] for event in told(record, kind=RESULT)] == [outcome]


def test_a_call_told_by_its_item_is_not_told_by_its_output() -> None:
    lines = [
        item("CommandExecution", status="failed", exit_code=3),
        output("exit code ?"),
        output("x"),
    ]
    assert [event[3] for event in told(*lines)] == [FAILED, OK]


TOOLS = {
    "exec_command": (
        {"name": "exec_command", "arguments": '{"cmd":"ls","tty":true}'},
        "Bash",
        {"command": "ls"},
    ),
    "shell": (
        {"name": "shell", "arguments": '{"command":["bash","-lc","ls"]}'},
        "Bash",
        {"command": "ls"},
    ),
    "argv": (
        {"name": "shell", "arguments": '{"command":["git","log"]}'},
        "Bash",
        {"command": "git log"},
    ),
    "local_shell": (
        {"type": "local_shell_call", "action": {"command": ["ls", "-l"]}},
        "Bash",
        {"command": "ls -l"},
    ),
    "patch": (
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** x"},
        "apply_patch",
        {"command": "*** x"},
    ),
    "an MCP tool": ({"name": "mcp__s__t", "arguments": "{}"}, "mcp__s__t", {}),
    "spawn_agent": (
        {"name": "spawn_agent", "namespace": "collaboration", "arguments": "{}"},
        "collaborationspawn_agent",
        {},
    ),
    "old spawn_agent": (
        {"name": "spawn_agent", "namespace": "multi_agent_v1", "arguments": "{}"},
        "spawn_agent",
        {},
    ),
    "lists too deep": ({"name": "t", "arguments": "[" * 99_999}, "t", "[" * 99_999),
}


@pytest.mark.parametrize(("payload", "tool", "arguments"), TOOLS.values(), ids=TOOLS)
def test_tools_are_named_as_in_hooks(payload: Any, tool: str, arguments: Any) -> None:
    record = rollout("response_item", **{"type": "function_call", "call_id": "c", **payload})
    assert [(event[3], event[4]) for event in told(record)] == [(tool, arguments)]


@pytest.mark.parametrize("name", ["write_stdin", "wait", "exec"])
def test_what_never_reaches_a_hook_is_no_call(name: str) -> None:
    assert told(rollout("response_item", type="function_call", name=name, arguments="{}")) == []


def test_an_unreadable_first_line_does_not_hide_the_rest() -> None:
    lines = [b'{"type":"session_meta","pay', turn(TURN), token_record(THREAD, "r", tokens(10))]
    assert billed(told(*lines)) == [(10, 0, 0, 0)]


@pytest.mark.parametrize(("tier", "factor"), [("priority", 2.5), ("flex", 0.5), (None, 1)])
def test_the_service_tier_multiplies_the_price(tier: str | None, factor: float) -> None:
    """Public cases: junhoyeo/tokscale#1347, openai/codex#13794."""
    settings = {"service_tier": tier}
    [event] = told(
        session_meta(THREAD),
        rollout("event_msg", type="thread_settings_applied", thread_settings=settings),
        turn(TURN),
        token_record(THREAD, "r", tokens(100_000)),
        kind=USAGE,
    )
    assert price(event[3], event[4], NOON) == pytest.approx(0.5 * factor)
