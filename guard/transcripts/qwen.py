"""Qwen Code's session logs, as measured in docs/harnesses/qwen.md.

`<project>/chats/<session>.jsonl`, where the usage of all agents stands, and the subagents' calls in
`<project>/subagents/<session>/agent-<id>.jsonl`.
"""

from __future__ import annotations

from ..usage import Usage
from . import CALL, FAILED, NEUTRAL, OK, PROMPT, RESULT, USAGE
from .digests import result_digest
from .folders import entries
from .records import (
    command_failed,
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

HEAD = 2048  # bytes of a line in which its type stands, behind the folder
MAX_FILES = 2000  # files
RESPONSE = "qwen-code.api_response"
DENIED = "execution_denied"  # errorType of what a hook or a rule held back
CANCELLED = "cancelled"  # errorType, or status, of what a person held back
UNASKED = ("cron", "notification", "goal_runtime")  # subtypes of messages that nobody has written
EMPTY = "\nOutput: (empty)\nError: (none)\n"  # in the result of a command that said nothing


def files(transcript: str, session: str, _memory: LogState) -> list[tuple[str, str]]:
    """Return (agent, path): the subagents', then the main agent's."""
    folder = f"{transcript.rpartition('/chats/')[0]}/subagents/{session}"
    logs = [entry for entry in entries(folder) if _is_log(entry.name)]
    found = sorted((entry.name[6:-6], entry.path) for entry in logs[:MAX_FILES])
    return [*found, ("", transcript)]


def owner(record: Json, _path: str) -> tuple[str, str] | None:
    """Records are like Claude Code's, but for what is said in them."""
    session = record.get("sessionId")
    if not isinstance(session, str) or not isinstance(record.get("uuid"), str):
        return None
    if "parts" not in mapping(record.get("message")):
        return None
    return session, text(record.get("agentId"))


def _is_log(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; of prompts those that nobody wrote, for hooks know better what a person did.

    `memory` keeps the last time and round.
    """
    kinds = ALL[:1] if usage_only else ALL
    for line in lines:
        kind = kind_of(line[:HEAD], kinds)
        if kind is None:
            continue
        record = parse(line)
        time = memory["time"] = seconds(record.get("timestamp")) or memory.get("time", 0.0)
        yield from safely(kind, record, time, memory)


def _telemetry(record: Json, time: float, _: ReaderState) -> list[Event]:
    told = mapping(mapping(record.get("systemPayload")).get("uiEvent"))
    if told.get("event.name") != RESPONSE:
        return []
    cached = count(told.get("cached_content_token_count"))
    usage = Usage(
        input=max(0, count(told.get("input_token_count")) - cached),
        output=count(told.get("output_token_count")) + count(told.get("thoughts_token_count")),
        cache_read=cached,
    )
    return [(USAGE, time, text(told.get("response_id")), text(told.get("model")), usage, False)]


def _assistant(record: Json, time: float, memory: ReaderState) -> list[Event]:
    if record.get("type") != "assistant":
        return []
    group = memory["round"] = text(record.get("uuid"))
    cwd = text(record.get("cwd"))
    told: list[Event] = []
    for part in objects(mapping(record.get("message")).get("parts")):
        call = mapping(part.get("functionCall"))
        if call:
            told.append((CALL, time, text(call.get("id")), text(call.get("name")),
                         call.get("args"), group, cwd))  # fmt: skip
    return told


def _result(record: Json, time: float, memory: ReaderState) -> list[Event]:
    ended = mapping(record.get("toolCallResult"))
    if record.get("type") != "tool_result":
        return []
    result_text = _result_text(record)
    exit_code = mapping(ended.get("resultDisplay")).get("exitCode")
    output = "" if EMPTY in result_text else "some"
    failed = ended.get("status") == "error" or command_failed(exit_code, output)
    outcome = FAILED if failed else OK
    if ended.get("errorType") == DENIED:
        outcome = refusal(result_text)
    elif CANCELLED in (ended.get("errorType"), ended.get("status")):
        outcome = NEUTRAL
    text_digest = result_digest(failed, result_text)
    call = text(ended.get("callId"))
    return [(RESULT, time, call, outcome, text_digest, text(memory.get("round")), False)]


def _user(record: Json, time: float, _: ReaderState) -> list[Event]:
    if (
        record.get("subtype") not in UNASKED
        or record.get("type") != "user"
        or record.get("agentId")
    ):
        return []
    return [(PROMPT, time, text(record.get("uuid")), False)]


def _result_text(record: Json) -> str:
    parts = []
    for part in objects(mapping(record.get("message")).get("parts")):
        response = mapping(mapping(part.get("functionResponse")).get("response"))
        parts.append(text(response.get("output")) or text(response.get("error")))
    return "\n".join(parts)


ALL: list[tuple[bytes, Kind]] = [
    (b'"ui_telemetry"', _telemetry),
    (b'"tool_result"', _result),
    (b'"assistant"', _assistant),
    (b'"user"', _user),
]
