"""VS Code's chat: `transcripts/<session>.jsonl`; records as measured in docs/harnesses/vscode.md.

Copilot CLI's vocabulary, without tokens and results: of a call that has ended it tells whether its tool
has thrown an error, and nothing else. One that a hook denied or a person skipped is a success there.
"""

from __future__ import annotations

from . import CALL, FAILED, PROMPT, RESULT
from .digests import result_digest
from .records import kind_of, mapping, parse, safely, seconds, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..state import Event, Json, LogState, ReaderState

    Kind = Callable[[Json, Json, float, ReaderState], list[Event]]

HEAD = 64  # bytes of a line in which its type stands
SUBAGENTS = ("runSubagent", "execution_subagent", "search_subagent", "explore_subagent")
OPEN = 20  # calls of such tools that are remembered


def files(transcript: str, _session: str, _memory: LogState) -> list[tuple[str, str]]:
    return [("", transcript)]


def owner(record: Json, _path: str) -> tuple[str, str] | None:
    data = mapping(record.get("data"))
    begins = record.get("type") == "session.start" and "vscodeVersion" in data
    session = text(data.get("sessionId"))
    return (session, "") if begins and session else None


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps the last time and round, and the calls that started subagents."""
    for line in lines:
        kind = kind_of(line[:HEAD], ALL)
        if kind is None:
            continue
        record = parse(line)
        time = memory["time"] = seconds(record.get("timestamp")) or memory.get("time", 0.0)
        for event in safely(kind, record, mapping(record.get("data")), time, memory):
            if not usage_only or event[0] == PROMPT:
                yield event


def _turn(record: Json, _data: Json, _time: float, memory: ReaderState) -> list[Event]:
    memory["round"] = text(record.get("id"))
    return []


def _prompt(record: Json, _data: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return a person's prompt; a subagent's task hangs on the call that started it."""
    if text(record.get("parentId")) in memory.get("items", ()):
        return []
    return [(PROMPT, time, text(record.get("id")), True)]


def _call(record: Json, data: Json, time: float, memory: ReaderState) -> list[Event]:
    tool, group = text(data.get("toolName")), str(memory.get("round", ""))
    if tool in SUBAGENTS:
        memory["items"] = [*memory.get("items", ()), text(record.get("id"))][-OPEN:]
    return [(CALL, time, text(data.get("toolCallId")), tool, data.get("arguments"), group, "")]


def _result(_record: Json, data: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return what is known to have failed."""
    if data.get("success") is not False:
        return []
    call, group = text(data.get("toolCallId")), str(memory.get("round", ""))
    return [(RESULT, time, call, FAILED, result_digest(True, ""), group, False)]


ALL: list[tuple[bytes, Kind]] = [
    (b'"assistant.turn_start"', _turn),
    (b'"user.message"', _prompt),
    (b'"tool.execution_start"', _call),
    (b'"tool.execution_complete"', _result),
]
