"""Grok Build: `sessions/<folder>/<session>/updates.jsonl`; records as measured in docs/harnesses/grok.md.

Tokens are told at the end of a turn: its sums, by model, with those of the subagents that ended in it.
Until then the size of the context, which every update tells, gives what the turn has cost at least.
"""

from __future__ import annotations

from ..usage import Usage
from . import CALL, FAILED, NEUTRAL, OK, PROMPT, REFUSED, RESULT, USAGE
from .digests import result_digest
from .records import (
    command_failed,
    count,
    kind_of,
    mapping,
    objects,
    parse,
    refusal,
    safely,
    text,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..state import Event, Json, LogState, ReaderState

    Kind = Callable[[Json, Json, float, ReaderState], list[Event]]

HEAD = 256  # bytes of a line in which its type stands
METHODS = ("session/update", "_x.ai/session/update")
TOOL = "x.ai/tool"
HOOK_DENIED = "Hook denied: "
RULE_DENIED = "was not executed: Denied by permission policy"
NOT_ALLOWED = "Failed to request permission from user"  # a person said no, or ended the turn
BEGINNING = 200  # characters of a result in which RULE_DENIED stands
MAX_CALLS = 10_000  # of one turn


def files(transcript: str, _session: str, _memory: LogState) -> list[tuple[str, str]]:
    return [("", transcript)]


def owner(record: Json, _path: str) -> tuple[str, str] | None:
    session = mapping(record.get("params")).get("sessionId")
    known = record.get("method") in METHODS and isinstance(session, str)
    return (text(session), "") if known else None


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps what the turn has cost so far, and the last response and time."""
    for line in lines:
        kind = kind_of(line[:HEAD], ALL)
        if kind is None or (kind is _chunk and _told(line, memory)):
            continue
        params = mapping(parse(line).get("params"))
        update, about = mapping(params.get("update")), mapping(params.get("_meta"))
        for event in safely(kind, update, about, _time(about, memory), memory):
            if not usage_only or event[0] in (USAGE, PROMPT):
                yield event


def _told(line: bytes, memory: ReaderState) -> bool:
    """Tell whether this piece of a text is of a response whose context is known."""
    return bool(memory.get("round")) and f'"streamStartMs":{memory["round"]},'.encode() in line


def _time(about: Json, memory: ReaderState) -> float:
    time = _moment(about.get("agentTimestampMs")) / 1000 or memory.get("time", 0.0)
    memory["time"] = time
    return time


def _moment(value: object) -> int:
    """Return Unix milliseconds, 0 for anything else."""
    return value if isinstance(value, int) and value is not True and value > 0 else 0


def _prompt(update: Json, about: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return a prompt; those that a person is not shown are Grok's own: something has ended."""
    shown = mapping(update.get("_meta"))
    memory["model"] = text(shown.get("modelId"))
    human = shown.get("hideFromScrollback") is not True
    return [(PROMPT, time, text(about.get("eventId")), human)]


def _call(update: Json, about: Json, time: float, memory: ReaderState) -> list[Event]:
    spent = _chunk(update, about, time, memory)
    named = text(mapping(mapping(update.get("_meta")).get(TOOL)).get("name"))
    tool = named or text(update.get("title"))
    group = str(about.get("streamStartMs", ""))
    call = text(update.get("toolCallId"))
    return [*spent, (CALL, time, call, tool, update.get("rawInput"), group, "")]


def _chunk(_update: Json, about: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return what the turn has cost at least, once per response: the context it has read is cached."""
    response, context = _moment(about.get("streamStartMs")), count(about.get("totalTokens"))
    if not response or response == memory.get("round"):
        return []
    _begin_turn(text(about.get("promptId")), memory)
    memory["round"] = response
    calls, fresh, read, before = memory["base"]
    before = min(before, context)
    memory["base"] = [calls + 1, fresh + context - before, read + before, context]
    usage = Usage(fresh + context - before, 0, read + before)
    return _usage(memory.get("model", ""), usage, calls + 1, time, memory)


def _begin_turn(prompt: str, memory: ReaderState) -> None:
    if memory.get("turn") != prompt or "base" not in memory:
        context = memory.get("base", [0])[-1]
        memory["turn"], memory["base"] = prompt, [0, 0, 0, context]


def _usage(model: str, usage: Usage, calls: int, time: float, memory: ReaderState) -> list[Event]:
    """Return the sums of a turn under its id; split among its calls, as prices depend on their size."""
    if not model:
        return []
    calls = min(max(calls, 1), MAX_CALLS)
    each = Usage(usage.input / calls, usage.output / calls, usage.cache_read / calls,
                 usage.cache_write_5m / calls)  # fmt: skip
    usage.parts = (("", each),) * calls
    identity = f"{model} {memory.get('turn', '')}"
    return [(USAGE, time, identity, model, usage, False)]


def _ended(update: Json, _about: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return the sums of the turn, but for one with those of subagents, which tell their own."""
    memory["turn"] = text(update.get("prompt_id"))
    if memory.pop("shared", False):
        return []
    told: list[Event] = []
    models = mapping(mapping(update.get("usage")).get("modelUsage"))
    for model, sums in models.items():
        used = mapping(sums)
        read, written = count(used.get("cachedReadTokens")), count(used.get("cacheCreationTokens"))
        fresh = max(0, count(used.get("inputTokens")) - read - written)
        usage = Usage(fresh, count(used.get("outputTokens")), read, written)
        told += _usage(model, usage, count(used.get("modelCalls")), time, memory)
    return told


def _subagent(update: Json, _about: Json, _time: float, memory: ReaderState) -> list[Event]:
    """Note that the turn's sums will hold a subagent's; those of one in the background are left out."""
    if update.get("will_wake") is not True:
        memory["shared"] = True
    return []


def _result(update: Json, about: Json, time: float, _: ReaderState) -> list[Event]:
    status = update.get("status")
    if status not in ("completed", "failed"):
        return []
    blocks = objects(update.get("content"))
    result_text = "\n".join(text(mapping(block.get("content")).get("text")) for block in blocks)
    code = mapping(update.get("rawOutput")).get("exit_code")
    failed = status == "failed" or command_failed(code, result_text)
    outcome = _refused(result_text) if status == "failed" else FAILED if failed else OK
    call, group = text(update.get("toolCallId")), str(about.get("streamStartMs", ""))
    return [(RESULT, time, call, outcome, result_digest(failed, result_text), group, False)]


def _refused(result_text: str) -> str:
    """Return the outcome of a call that Grok says has failed."""
    if result_text.startswith(HOOK_DENIED):
        return refusal(result_text)
    if result_text.startswith(NOT_ALLOWED):
        return NEUTRAL
    return REFUSED if RULE_DENIED in result_text[:BEGINNING] else FAILED


ALL: list[tuple[bytes, Kind]] = [
    (b'"sessionUpdate":"tool_call_update"', _result),
    (b'"sessionUpdate":"tool_call"', _call),
    (b'"sessionUpdate":"user_message_chunk"', _prompt),
    (b'"sessionUpdate":"agent_message_chunk"', _chunk),
    (b'"sessionUpdate":"turn_completed"', _ended),
    (b'"sessionUpdate":"subagent_finished"', _subagent),
]
