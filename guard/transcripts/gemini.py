"""Gemini CLI's session logs, as measured in docs/harnesses/gemini.md.

`<chats>/session-<minute>-<8 hex>.jsonl`, and everything in `<chats>/<session>/`: one file per subagent.
A response is written once with its tokens, and again with its calls when all of them have ended.
"""

from __future__ import annotations

from ..usage import Usage
from . import CALL, FAILED, MARKER, NEUTRAL, OK, RESULT, USAGE
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
    from collections.abc import Iterable, Iterator

    from ..state import Event, Json, LogState, ReaderState


HEAD = 200  # bytes of a line in which its type stands; lines that repeat a whole history begin otherwise
MAX_FILES = 200  # files
SHELL = "run_shell_command"  # whose status is "success" whatever the command came to
EXIT_CODE = "\nExit Code: "  # among the last lines of its result, where it is not 0
LAST_LINES = 200  # characters
EMPTY = ("Output: (empty)", "Output: (empty)\nError: (none)")  # what stands before it then
REFUSALS = ("Tool execution blocked: ", "Tool execution denied by policy")
STOPPED = ("Agent execution stopped by hook: ", "[Operation Cancelled]",
           "Command was cancelled by user", MARKER)  # fmt: skip


def files(transcript: str, session: str, _memory: LogState) -> list[tuple[str, str]]:
    """Return (agent, path): the subagents', then the main agent's."""
    folder = f"{transcript.rpartition('/')[0]}/{session}"
    logs = [entry for entry in entries(folder) if entry.name.endswith(".jsonl")]
    found = sorted((entry.name[:-6], entry.path) for entry in logs[:MAX_FILES])
    return [*found, ("", transcript)]


def owner(record: Json, path: str) -> tuple[str, str] | None:
    """A subagent's log lies in a folder that is named after the session."""
    session = record.get("sessionId")
    if not isinstance(session, str) or "projectHash" not in record:
        return None
    if record.get("kind") != "subagent":
        return session, ""
    return path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2], session


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events but no prompts, which hooks know better; `memory` keeps the last time."""
    for line in lines:
        if kind_of(line[:HEAD], RECORD_KINDS):
            yield from safely(_response, parse(line), memory, usage_only)


def _response(record: Json, memory: ReaderState, usage_only: bool) -> list[Event]:
    if record.get("type") != "gemini":
        return []
    time = memory["time"] = seconds(record.get("timestamp")) or memory.get("time", 0.0)
    identity = text(record.get("id"))
    told: list[Event] = []
    tokens = mapping(record.get("tokens"))
    if tokens:
        told.append((USAGE, time, identity, text(record.get("model")), _usage(tokens), False))
    if not usage_only:
        calls = objects(record.get("toolCalls"))
        told += [_made(call, time, identity) for call in calls]
        told += [_result(call, time, identity) for call in calls]
    return told


def _usage(tokens: Json) -> Usage:
    """Map the counts: input includes what was read from the cache; thoughts are paid like output."""
    cached = count(tokens.get("cached"))
    return Usage(
        input=max(0, count(tokens.get("input")) - cached) + count(tokens.get("tool")),
        output=count(tokens.get("output")) + count(tokens.get("thoughts")),
        cache_read=cached,
    )


def _made(call: Json, time: float, group: str) -> Event:
    return (CALL, time, text(call.get("id")), text(call.get("name")), call.get("args"), group, "")


def _result(call: Json, time: float, group: str) -> Event:
    ended, result_text = seconds(call.get("timestamp")) or time, _result_text(call)
    outcome = _outcome(call, text(call.get("name")), result_text)
    text_digest = result_digest(outcome == FAILED, result_text)
    return (RESULT, ended, text(call.get("id")), outcome, text_digest, group, False)


def _result_text(call: Json) -> str:
    parts = []
    for part in objects(call.get("result")):
        response = mapping(mapping(part.get("functionResponse")).get("response"))
        parts.append(text(response.get("output")) or text(response.get("error")))
    return "\n".join(parts)


def _outcome(call: Json, tool: str, result_text: str) -> str:
    status = call.get("status")
    if status == "cancelled" or result_text.startswith(STOPPED):
        return NEUTRAL
    if result_text.startswith(REFUSALS):
        return refusal(result_text)
    failed = status == "error" or (tool == SHELL and _exited(result_text))
    return FAILED if failed else OK


def _exited(result_text: str) -> bool:
    output, found, rest = result_text[-LAST_LINES:].rpartition(EXIT_CODE)
    code = rest.partition("\n")[0].strip()
    silent = output.endswith(EMPTY)
    return bool(found) and command_failed(
        int(code) if code.isdecimal() else code, "" if silent else output
    )


RECORD_KINDS = [(b'"gemini"', True)]
