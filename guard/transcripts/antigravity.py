"""Antigravity: `brain/<conversation>/.system_generated/logs/transcript_full.jsonl`, a step per line.

The calls of a response are the steps that follow it; the first of them may be written before it.
"""

from __future__ import annotations

from ..usage import Usage
from . import CALL, FAILED, OK, PROMPT, RESULT, USAGE
from .digests import result_digest
from .records import (
    command_failed,
    count,
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


NAME = "/.system_generated/logs/transcript_full.jsonl"
MODEL = "gemini"  # all that it is called: nothing tells which one
STEP = b'"step_index"'
HEAD = 64  # bytes of a line in which its step stands
CREATED = "Created At: "  # begins what a step came to; two times follow, and an empty line
DENIED = "denied by pre-tool hook"
SILENT = ("The command exited with code 1.", "Output:", "Stdout:", "Stderr:")


def files(transcript: str, _session: str, _memory: LogState) -> list[tuple[str, str]]:
    return [("", transcript)]


def owner(record: Json, path: str) -> tuple[str, str] | None:
    """The conversation is the folder; subagents are conversations of their own."""
    place = path.replace("\\", "/")
    if "step_index" not in record or not place.endswith(NAME):
        return None
    return place[: -len(NAME)].rpartition("/")[2], ""


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps the last response and the last step."""
    for line in lines:
        if STEP in line[:HEAD]:
            yield from safely(_step, parse(line), memory, usage_only)


def _step(step: Json, memory: ReaderState, usage_only: bool) -> list[Event]:
    time = seconds(step.get("created_at")) or memory.get("time", 0.0)
    number = step.get("step_index")
    if not isinstance(number, int):
        return []
    memory["time"] = time
    if step.get("type") == "PLANNER_RESPONSE":
        memory["round"], memory["step"] = str(number), max(number, memory.get("step", 0))
        return [_usage(step, time, number), *([] if usage_only else _calls(step, time, number))]
    if step.get("type") == "USER_INPUT":
        return [(PROMPT, time, str(number), step.get("source") == "USER_EXPLICIT")]
    return [] if usage_only else [_result(step, time, number, memory)]


def _usage(step: Json, time: float, number: int) -> Event:
    usage = Usage(
        count(step.get("input_tokens")),
        count(step.get("output_tokens")),
        count(step.get("cache_read_tokens")),
    )
    return (USAGE, time, str(number), MODEL, usage, False)


def _calls(step: Json, time: float, number: int) -> list[Event]:
    calls = enumerate(objects(step.get("tool_calls")), number + 1)
    return [
        (CALL, time, str(one), text(call.get("name")), call.get("args"), str(number), "")
        for one, call in calls
    ]


def _result(step: Json, time: float, number: int, memory: ReaderState) -> Event:
    """Where the step before it is not known yet, that is the response it is a call of."""
    if memory.get("step") != number - 1:
        memory["round"] = str(number - 1)
    memory["step"] = number
    outcome, failed, result_text = _outcome(step)
    text_digest = result_digest(failed, result_text)
    return (RESULT, time, str(number), outcome, text_digest, text(memory["round"]), False)


def _outcome(step: Json) -> tuple[str, bool, str]:
    """(outcome, failed, text); a command that fails is no error of its step."""
    content = text(step.get("content"))
    if content.startswith(CREATED):
        content = content.partition("\n\n")[2] or text(step.get("error"))
    error = text(step.get("error"))
    if DENIED in error:
        return refusal(error), True, error
    failed = bool(error) or command_failed(step.get("exit_code"), _output(content))
    return FAILED if failed else OK, failed, content


def _output(content: str) -> str:
    """What a command said, without what Antigravity says of it."""
    for word in SILENT:
        content = content.replace(word, "", 1)
    return content
