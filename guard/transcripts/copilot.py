"""Copilot CLI: `session-state/<session>/events.jsonl`; records as measured in docs/harnesses/copilot.md.

One file holds all agents of a session: an event names the one it is of, unless that is the main agent.
It is written in batches, about half a second late. What a hook was told stands in it with the ids of
the calls, which the hook itself is not given.
"""

from __future__ import annotations

from ..call import digest
from ..usage import Usage
from . import CALL, FAILED, NEUTRAL, OK, PROMPT, REPORTED_TOTAL, RESULT, USAGE
from .digests import result_digest
from .records import (
    command_failed,
    content_text,
    count,
    kind_of,
    mapping,
    objects,
    parse,
    refusal,
    safely,
    seconds,
    text,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..state import Event, Json, LogState, ReaderState

    Kind = Callable[[Json, float, ReaderState], list[Event]]

HEAD = 64  # bytes of a line in which its type stands
NANO_UNITS_OF_A_DOLLAR = 1e11  # an AI unit of GitHub's is a cent
MAX_REPORTED_DOLLARS = 1e6  # of a session; more is no total but damage
SHELL_ENDED = "<shellId: "  # begins the line behind a command's output
TOOLS = {  # the names in the log -> those that hooks are told
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "task": "Agent",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
}


def files(transcript: str, _session: str, _memory: LogState) -> list[tuple[str, str]]:
    return [("", transcript)]


def owner(record: Json, _path: str) -> tuple[str, str] | None:
    data = mapping(record.get("data"))
    session = data.get("sessionId")
    begins = record.get("type") == "session.start" and isinstance(session, str)
    begins = begins and "vscodeVersion" not in data  # the editor's log, in the same words
    return (text(session), "") if begins else None


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps the last time and the agent whose event this is."""
    kinds = USAGE_ONLY if usage_only else ALL
    for line in lines:
        kind = kind_of(line[:HEAD], kinds)
        if kind is None:
            continue
        record = parse(line)
        memory["agent"] = text(record.get("agentId"))
        yield from safely(kind, mapping(record.get("data")), _time(record, memory), memory)


def _time(record: Json, memory: ReaderState) -> float:
    time = seconds(record.get("timestamp")) or memory.get("time", 0.0)
    memory["time"] = time
    return time


def _total(data: Json, time: float, _: ReaderState) -> list[Event]:
    """Return what GitHub bills for the session so far; it then tells of no response by itself."""
    units = data.get("totalNanoAiu")
    if isinstance(units, bool) or not isinstance(units, (int, float)):
        return []
    dollars = units / NANO_UNITS_OF_A_DOLLAR
    return [(REPORTED_TOTAL, time, dollars)] if 0 < dollars < MAX_REPORTED_DOLLARS else []


def _usage_record(data: Json, time: float, _: ReaderState) -> list[Event]:
    """Map the counts: input includes what was read from and written to the cache, for every provider."""
    told = mapping(data.get("usage"))
    read, written = count(told.get("cacheReadTokens")), count(told.get("cacheWriteTokens"))
    fresh = max(0, count(told.get("inputTokens")) - read - written)
    usage = Usage(fresh, count(told.get("outputTokens")), read, written)
    return [(USAGE, time, text(told.get("apiCallId")), text(told.get("model")), usage, False)]


def _prompt(data: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return a prompt; other agents, skills, hooks and autopilot write in the same way as a person."""
    if memory["agent"]:
        return []
    human = not data.get("source") and data.get("isAutopilotContinuation") is not True
    if memory.get("stopped") == digest(text(data.get("content")).strip()):
        del memory["stopped"]
        human = False
    return [(PROMPT, time, text(data.get("messageId")), human)]


def _hook_ended(data: Json, _time: float, memory: ReaderState) -> list[Event]:
    """Note what a hook that keeps the turn from ending goes on with: it comes as a message."""
    answer = mapping(data.get("output"))
    if data.get("hookType") == "agentStop" and answer.get("decision") == "block":
        memory["stopped"] = digest(text(answer.get("reason")).strip())
    return []


def _hook(data: Json, time: float, _: ReaderState) -> list[Event]:
    """Return the calls of one response, as the hooks were asked about them."""
    if data.get("hookType") != "preToolUse":
        return []
    told, group = mapping(data.get("input")), text(data.get("hookInvocationId"))
    return [
        (CALL, time, text(call.get("id")), _tool(call), call.get("args"), group, text(told.get("cwd")))
        for call in objects(told.get("toolCalls"))
    ]  # fmt: skip


def _tool(call: Json) -> str:
    name = text(call.get("name"))
    return TOOLS.get(name, name)


def _result(data: Json, time: float, _: ReaderState) -> list[Event]:
    """Return a result: a failed shell command is a success with an exit code, all else has an error."""
    error = mapping(data.get("error"))
    result_text = content_text(mapping(data.get("result")).get("content")) or text(
        error.get("message")
    )
    code = mapping(data.get("shellExecution")).get("exitCode")
    output = "" if result_text.startswith(SHELL_ENDED) else result_text
    failed = data.get("success") is not True or command_failed(code, output)
    outcome = FAILED if failed else OK
    if failed and error.get("code", "failure") != "failure":  # rejected by a person, cancelled
        outcome = refusal(result_text) if error.get("code") == "denied" else NEUTRAL
    group = f"{text(data.get('interactionId'))}:{text(data.get('turnId'))}"
    call = text(data.get("toolCallId"))
    shown = result_text.partition("\n" + SHELL_ENDED)[0]  # its number grows
    return [(RESULT, time, call, outcome, result_digest(failed, shown), group, False)]


USAGE_ONLY: list[tuple[bytes, Kind]] = [
    (b'"session.usage_record"', _usage_record),
    (b'"session.usage_checkpoint"', _total),
    (b'"session.shutdown"', _total),
    (b'"user.message"', _prompt),
    (b'"hook.end"', _hook_ended),
]
ALL: list[tuple[bytes, Kind]] = [
    *USAGE_ONLY,
    (b'"hook.start"', _hook),
    (b'"tool.execution_complete"', _result),
]
