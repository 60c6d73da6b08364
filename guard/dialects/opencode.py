"""OpenCode: https://opencode.ai/docs/plugins; measured behaviour in docs/harnesses/opencode.md.

It runs no commands as hooks, so a plugin of ours asks: it passes on what its hook was given and, as
`told`, the parts and messages of OpenCode's events since it last asked.
"""

from __future__ import annotations

from ..call import (
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    ON_PROMPT,
    ON_USAGE,
    OTHER,
    SHELL,
    SPAWN,
    STOP,
    WEB,
    Call,
    drop_ignored,
)
from ..fastjson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Json, Payload, ResultEvent, UsageEvent

NO_OPINION = b""
UNSUPPORTED = frozenset((ASK,))  # its hook for permissions is never called
STAGES = {"chat.message": ON_PROMPT, "session.idle": ON_USAGE}
TOOL_KINDS = {
    "bash": SHELL,
    "task": SPAWN,
    "webfetch": WEB,
    "websearch": WEB,
    "edit": EDIT,
    "write": EDIT,
    "apply_patch": EDIT,
}
IGNORED_ARGUMENTS = {
    "bash": ("description", "timeout"),
    "task": ("description",),
}
UNKNOWN = "invalid"  # the tool that stands in for one that is not there, and never fails
STOPPED = (  # how the error of a call begins that a person kept from running, or that was stopped
    "The user rejected permission",
    "Tool execution aborted",
)
BY_RULE = "The user has specified a rule which prevents"
SILENT = "(no output)"  # the output of a command that said nothing
LATEST = 1e14  # milliseconds


def read(payload: Payload, now: float) -> Call:
    """A subagent is a session of its own; `session` is the one that a person began."""
    event = str(payload["event"])
    stage = STAGES.get(event, BEFORE_CALL)
    tool = str(payload.get("tool") or "")
    return Call(
        "opencode",
        str(payload["session"]),
        event=event,
        stage=stage,
        agent=str(payload.get("agent") or ""),
        id=str(payload.get("call") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("args")),
        cwd=str(payload.get("directory") or ""),
        attended=payload.get("attended") is True,
        batch=_spoken(payload, now) if stage == ON_PROMPT else _told(payload, now),
    )


def identifying_arguments(tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS.get(tool, ()))


def _spoken(payload: Payload, now: float) -> tuple[Event, ...]:
    """`run` is given one prompt; what else comes in it, and parts of OpenCode's own, nobody wrote."""
    from ..transcripts import PROMPT

    human = payload.get("unasked") is not True
    return ((PROMPT, now, str(payload.get("prompt") or now), human),)


def _told(payload: Payload, now: float) -> tuple[Event, ...]:
    """Calls that have ended, and messages of the model that are complete."""
    if not payload.get("told"):
        return ()
    from ..transcripts.records import objects

    events = (
        ended(one, now) if "callID" in one else spent(one, now) for one in objects(payload["told"])
    )
    return tuple(events)


def ended(part: Json, now: float) -> ResultEvent:
    """All calls of one message are one round."""
    from ..transcripts import RESULT
    from ..transcripts.digests import result_digest
    from ..transcripts.records import mapping, text

    state = mapping(part.get("state"))
    outcome, failed, result_text = _outcome(text(part.get("tool")), state)
    when = _seconds(mapping(state.get("time")).get("end"), now)
    text_digest, round = result_digest(failed, result_text), text(part.get("messageID"))
    return (RESULT, when, text(part.get("callID")), outcome, text_digest, round, False)


def _outcome(tool: str, state: Json) -> tuple[str, bool, str]:
    """(outcome, failed, text). A shell command that ends with 1 is `completed`; only `exit` tells."""
    from ..transcripts import FAILED, MARKER, NEUTRAL, OK, REFUSED
    from ..transcripts.records import command_failed, mapping, text

    if state.get("status") == "error":
        result_text = text(state.get("error"))
        if result_text.startswith((MARKER, *STOPPED)):
            return NEUTRAL, True, result_text
        return REFUSED if result_text.startswith(BY_RULE) else FAILED, True, result_text
    result_text = text(state.get("output")).partition("\n\n" + MARKER)[0]  # our own note may follow
    output = "" if result_text == SILENT else result_text
    failed = tool == UNKNOWN or command_failed(mapping(state.get("metadata")).get("exit"), output)
    return FAILED if failed else OK, failed, result_text


def spent(info: Json, now: float) -> UsageEvent:
    """OpenCode reckons the dollars itself, by provider; where it has no price they are 0."""
    from ..transcripts import USAGE
    from ..transcripts.records import count, mapping, text
    from ..usage import MAX_DOLLARS, Usage

    tokens = mapping(info.get("tokens"))
    cache = mapping(tokens.get("cache"))
    usage = Usage(
        count(tokens.get("input")),
        count(tokens.get("output")) + count(tokens.get("reasoning")),
        count(cache.get("read")),
        count(cache.get("write")),
        dollars=_number(info.get("cost"), MAX_DOLLARS),
    )
    when = _seconds(mapping(info.get("time")).get("completed"), now)
    return (USAGE, when, text(info.get("id")), text(info.get("modelID")), usage, False)


def _seconds(milliseconds: object, now: float) -> float:
    return _number(milliseconds, LATEST) / 1000 or now


def _number(value: object, below: float) -> float:
    """What cannot be one is 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(value) if 0 <= value < below else 0.0


def answer(call: Call, level: int, text: str) -> bytes:
    """What the plugin knows: `show` to a person, `note` for the agent, `deny`, `stop` the session.

    OpenCode itself shows nothing but the denial of a call, and that only where nobody attends.
    """
    if call.stage == ON_USAGE:
        return NO_OPINION
    reply: Json = {"note" if level < DENY else "deny": text}
    if call.attended or level != DENY or call.stage == ON_PROMPT:
        reply["show"] = text
    if level == STOP:
        reply["stop"] = True
    return dumps(reply).encode("ascii")
