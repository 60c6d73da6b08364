"""Factory Droid: `sessions/<folder>/<session>.jsonl`; records as measured in docs/harnesses/droid.md.

Tokens stand beside it, in `<session>.settings.json`: the sums of the session so far.
"""

from __future__ import annotations

from ..fastjson import decode, loads
from ..system import O_CLOEXEC, O_RDONLY, close, open, read
from ..usage import Usage
from . import CALL, FAILED, MARKER, OK, PROMPT, RESULT, USAGE
from .digests import result_digest
from .records import (
    content_text,
    count,
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


MESSAGE = b'"message"'
HEAD = 64  # bytes of a line in which its type stands
MAX_SUMS_BYTES = 1 << 20  # bytes of the file of sums
COUNTS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")  # none twice
HELD_BACK = "Error: Tool execution blocked by hook"  # by one that gave no reason
SILENT = (
    "Error: Command failed (exit code: 1)\n\n[Process exited with code 1]"  # without any output
)


def files(transcript: str, _session: str, _memory: LogState) -> list[tuple[str, str]]:
    return [("", transcript)]


def owner(record: Json, _path: str) -> tuple[str, str] | None:
    session = record.get("id")
    begins = record.get("type") == "session_start" and isinstance(session, str)
    return (text(session), "") if begins else None


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps the folder and the time of the last event."""
    for line in lines:
        if MESSAGE in line[:HEAD]:
            yield from safely(_message, parse(line), memory, usage_only)
        elif b'"session_start"' in line[:HEAD]:
            memory["cwd"] = text(parse(line).get("cwd"))


def sidecar_events(transcript: str, now: float, logs: LogState) -> list[Event]:
    """Return the usage since the last look; Droid writes its sums before it calls the hook."""
    told = _settings(transcript.removesuffix(".jsonl") + ".settings.json")
    usage = mapping(told.get("tokenUsage"))
    sums = [count(usage.get(name)) for name in COUNTS]
    known = logs.get("sums") or [0, 0, 0, 0]
    fresh, output, read, written = (max(0, now - before) for now, before in zip(sums, known))
    if not fresh + output + read + written:
        return []
    logs["sums"] = [max(pair) for pair in zip(sums, known)]
    return [(USAGE, now, "", _model(told), Usage(fresh, output, read, written), False)]


def _model(told: Json) -> str:
    """Return the model's name; a user's own model is `custom:` and whatever they call it."""
    return text(told.get("model")).removeprefix("custom:")


def _settings(path: str) -> Json:
    try:
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
    except (OSError, ValueError):
        return {}
    try:
        return mapping(loads(decode(read(descriptor, MAX_SUMS_BYTES))))
    except (OSError, ValueError, RecursionError):
        return {}
    finally:
        close(descriptor)


def _message(record: Json, memory: ReaderState, usage_only: bool) -> list[Event]:
    message, time = mapping(record.get("message")), _time(record, memory)
    blocks, identity = objects(message.get("content")), text(record.get("id"))
    if message.get("visibility"):  # runs of hooks and other notes of Droid's own
        if message.get("hookEventName") == "Stop" and _goes_on(message):
            memory["stopped"] = identity
        return []
    if message.get("role") == "assistant":
        return [] if usage_only else _calls(blocks, time, identity, text(memory.get("cwd")))
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if results:
        group = text(record.get("parentId"))
        return [] if usage_only else [_result(block, time, group) for block in results]
    return [(PROMPT, time, identity, not memory.pop("stopped", ""))]


def _goes_on(message: Json) -> bool:
    """Tell whether a Stop hook has kept the turn from ending: what it says is the next message."""
    runs = objects(message.get("hookResults"))
    return any(run.get("exitCode") == 2 or '"block"' in text(run.get("stdout")) for run in runs)


def _time(record: Json, memory: ReaderState) -> float:
    time = seconds(record.get("timestamp")) or memory.get("time", 0.0)
    memory["time"] = time
    return time


def _calls(blocks: list[Json], time: float, group: str, cwd: str) -> list[Event]:
    return [
        (CALL, time, text(block.get("id")), text(block.get("name")), block.get("input"), group, cwd)
        for block in blocks
        if block.get("type") == "tool_use"
    ]


def _result(block: Json, time: float, group: str) -> Event:
    result_text = content_text(block.get("content"))
    failed = block.get("is_error") is True
    refused = failed and (MARKER in result_text[:200] or result_text.startswith(HELD_BACK))
    failed = failed and result_text.strip() != SILENT
    outcome = refusal(result_text) if refused else FAILED if failed else OK
    call = text(block.get("tool_use_id"))
    return (RESULT, time, call, outcome, result_digest(failed, result_text), group, False)
