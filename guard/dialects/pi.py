"""Pi: its extensions, measured in docs/harnesses/pi.md.

It runs no commands as hooks, so an extension of ours asks: it passes on what its handler was given and,
as `told`, the entries of Pi's session since it last asked.
"""

from __future__ import annotations

from ..call import (
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    ON_PROMPT,
    ON_RESPONSE,
    ON_USAGE,
    OTHER,
    SHELL,
    SPAWN,
    STOP,
    Call,
    drop_ignored,
)
from ..fastjson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state import CallEvent, Event, Json, Payload, ResultEvent, UsageEvent

NO_OPINION = b""
UNSUPPORTED: frozenset[int] = frozenset()
STAGES = {
    "tool_call": BEFORE_CALL,
    "input": ON_PROMPT,
    "before_agent_start": ON_PROMPT,
    "message_update": ON_RESPONSE,
}
TOOL_KINDS = {
    "bash": SHELL,
    "powershell": SHELL,
    "subagent": SPAWN,
    "edit": EDIT,
    "write": EDIT,
}
IGNORED_ARGUMENTS = {"bash": ("timeout",), "powershell": ("timeout",)}
INTERRUPTED = (  # how the result of a call ends that a person or the guard has stopped
    "Operation aborted",
    "Command aborted",
    "Skipped due to queued user message",
)
MAX_REPEATS = 1e9
SILENT = "(no output)\n\nCommand exited with code 1"  # it has looked and found nothing


def read(payload: Payload, now: float) -> Call:
    """Subagents are processes of their own, each with its own session."""
    event = str(payload["event"])
    stage = STAGES.get(event, ON_USAGE)
    tool = str(payload.get("tool") or "")
    return Call(
        "pi",
        str(payload["session"]),
        event=event,
        stage=stage,
        id=str(payload.get("call") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("args")),
        cwd=str(payload.get("directory") or ""),
        attended=payload.get("attended") is True,
        batch=_spoken(payload, now) if stage == ON_PROMPT else _told(payload, now),
        repeats=_number(payload.get("repeats"), MAX_REPEATS),
    )


def identifying_arguments(tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS.get(tool, ()))


def _spoken(payload: Payload, now: float) -> tuple[Event, ...]:
    """A run that an extension started is no prompt of a person."""
    from ..transcripts import PROMPT

    human = payload.get("unasked") is not True
    return ((PROMPT, now, str(payload.get("prompt") or now), human),)


def _told(payload: Payload, now: float) -> tuple[Event, ...]:
    if not payload.get("told"):
        return ()
    from ..transcripts.records import objects, text

    return tuple(
        event
        for entry in objects(payload["told"])
        for event in events(entry, text(entry.get("round")), now)
    )


def events(entry: Json, round: str, now: float) -> Iterator[Event]:
    """Tell what an entry of a session reports; `round` is the id of the last response before it."""
    from ..transcripts.records import mapping

    message = mapping(entry.get("message"))
    if message.get("role") == "toolResult":
        yield ended(entry, message, round, now)
    elif message.get("role") == "assistant":
        yield spent(entry, message, now)
        yield from calls(entry, message, now)
    elif "usage" in entry:  # a compaction, the summary of a branch, the warming of a cache
        yield spent(entry, entry, now)


def calls(entry: Json, message: Json, now: float) -> Iterator[CallEvent]:
    """Tell every call of a response, also those with invalid arguments, which no handler is told of."""
    from ..transcripts import CALL
    from ..transcripts.records import objects, seconds, text

    when, round = seconds(entry.get("timestamp")) or now, text(entry.get("id"))
    for block in objects(message.get("content")):
        if block.get("type") == "toolCall":
            tool, call = text(block.get("name")), text(block.get("id"))
            yield (CALL, when, call, tool, block.get("arguments"), round, "")


def ended(entry: Json, message: Json, round: str, now: float) -> ResultEvent:
    """All calls of one response are one round."""
    from ..transcripts import RESULT
    from ..transcripts.digests import result_digest
    from ..transcripts.records import seconds, text

    outcome, failed, result_text = _outcome(message)
    when = seconds(entry.get("timestamp")) or now
    text_digest = result_digest(failed, result_text)
    return (RESULT, when, text(message.get("toolCallId")), outcome, text_digest, round, False)


def _outcome(message: Json) -> tuple[str, bool, str]:
    """(outcome, failed, text), without the note of ours that may follow a result."""
    from ..transcripts import FAILED, MARKER, NEUTRAL, OK
    from ..transcripts.records import content_text, objects, text

    failed, content = message.get("isError") is True, message.get("content")
    blocks = objects(content)
    if not failed and len(blocks) > 1 and text(blocks[-1].get("text")).startswith(MARKER):
        content = blocks[:-1]
    result_text = content_text(content)
    if not failed or result_text == SILENT:
        return OK, False, result_text
    ours = result_text.startswith(MARKER) or result_text.rstrip().endswith(INTERRUPTED)
    return NEUTRAL if ours else FAILED, True, result_text


def spent(entry: Json, message: Json, now: float) -> UsageEvent:
    """Pi computes the dollars itself, by provider; where it has no price they are 0."""
    from ..transcripts import USAGE
    from ..transcripts.records import count, mapping, seconds, text
    from ..usage import MAX_DOLLARS, Usage

    used = mapping(message.get("usage"))
    usage = Usage(
        count(used.get("input")),
        count(used.get("output")),
        count(used.get("cacheRead")),
        count(used.get("cacheWrite")),
        dollars=_number(mapping(used.get("cost")).get("total"), MAX_DOLLARS),
    )
    response = text(message.get("responseId")) or text(entry.get("id"))
    when = seconds(entry.get("timestamp")) or now
    return (USAGE, when, response, text(message.get("model")), usage, False)


def _number(value: object, below: float) -> float:
    """What cannot be one is 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(value) if 0 <= value < below else 0.0


def answer(call: Call, level: int, text: str) -> bytes:
    """What the extension knows: `show` to a person, `note` for the agent, `ask`, `deny`, `stop`.

    Pi itself shows a denied call on its terminal, and nothing where nobody attends.
    """
    reply: Json = {"ask": text} if level == ASK else {"note" if level < ASK else "deny": text}
    if level != ASK and not (call.attended and level == DENY and call.stage == BEFORE_CALL):
        reply["show"] = text
    if level == STOP:
        reply["stop"] = True
    return dumps(reply).encode("ascii")
