"""Cursor: https://cursor.com/docs/hooks; measured behaviour in docs/harnesses/cursor.md.

Whoever registered the command: Cursor also runs hooks of Claude Code's settings, with its own payload.
"""

from __future__ import annotations

from ..call import (
    AFTER_CALLS,
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
)
from ..fastjson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Json, Payload

# Never silence: it is logged as a failed hook, and behind what a login shell's profile prints it would
# leave a text that is no JSON, which denies the call.
NO_OPINION = b"{}"
UNSUPPORTED = frozenset((ASK, STOP))  # `ask` is enforced for shell calls only, and not in `-p`
TOOL_KINDS = {
    "Shell": SHELL,
    "Task": SPAWN,
    "WebSearch": WEB,
    "WebFetch": WEB,
    "Fetch": WEB,
    "Write": EDIT,
    "Delete": EDIT,
}
IGNORED_ARGUMENTS = {
    "Shell": ("timeout", "block_until_ms", "description", "explanation", "is_background"),
    "Task": ("description",),
}
PARTIAL = ("Read",)  # the hook is not told which part of the file
OPAQUE = ("WriteShellStdin", "ComputerUse", "RecordScreen")  # nor anything of these but a length
ENDED = ("postToolUse", "postToolUseFailure")
USAGE_EVENTS = ("afterAgentResponse", "stop")
COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def read(payload: Payload, now: float) -> Call:
    """object event that is wired; attended, because money is told only where a person types."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    agent = str(payload.get("parent_tool_call_id") or "")
    turn = str(payload.get("generation_id") or "")
    stage = _stage(event)
    return Call(
        "cursor",
        str(payload.get("conversation_id") or payload.get("session_id") or ""),
        event=event,
        stage=stage,
        agent=agent,
        prompt=turn if stage == BEFORE_CALL and not agent else "",
        id=str(payload.get("tool_use_id") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=_arguments(payload, tool),
        cwd=_folder(payload),
        model=_model(payload),
        attended=True,
        batch=() if stage == BEFORE_CALL else _told(payload, event, turn, now),
        partial=tool in PARTIAL,
    )


def _stage(event: str) -> str:
    if event in ENDED:
        return AFTER_CALLS
    if event in USAGE_EVENTS:
        return ON_USAGE
    return ON_PROMPT if event == "beforeSubmitPrompt" else BEFORE_CALL


def _folder(payload: Payload) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return str(payload.get("cwd") or first)


def _model(payload: Payload) -> str:
    """`default` is Cursor's Auto, whose model is not told: priced as an unknown one."""
    return str(payload.get("model_id") or payload.get("model") or "")


def _arguments(payload: Payload, tool: str) -> object:
    if tool in OPAQUE:
        return [payload.get("tool_use_id")]
    return identifying_arguments(tool, payload.get("tool_input"))


def identifying_arguments(tool: str, arguments: object) -> object:
    """The part of the arguments that changes what is done; defaults count as left out."""
    if not isinstance(arguments, dict):
        return arguments
    dropped = IGNORED_ARGUMENTS.get(tool, ())
    kept = {
        name: value
        for name, value in arguments.items()
        if name not in dropped and value not in (None, False, "")
    }
    if isinstance(kept.get("command"), str):
        kept["command"] = kept["command"].rstrip()
    return kept


def _told(payload: Payload, event: str, turn: str, now: float) -> tuple[Event, ...]:
    """As a transcript would tell it. Cursor's own log has neither results nor money nor times."""
    from ..transcripts import CALL, PROMPT, RESULT

    if event in USAGE_EVENTS:
        return _usage(payload, turn, now)
    if event not in ENDED:
        return ((PROMPT, now, turn, True),)
    from ..transcripts.digests import result_digest
    from ..transcripts.records import text

    outcome, failed, result_text = _outcome(payload, event)
    identity, tool = text(payload.get("tool_use_id")), text(payload.get("tool_name"))
    call: Event = (CALL, now, identity, tool, _arguments(payload, tool), "", _folder(payload))
    result: Event = (RESULT, now, identity, outcome, result_digest(failed, result_text), "", False)
    return (call, result)


def _outcome(payload: Payload, event: str) -> tuple[str, bool, str]:
    """(outcome, failed, text): what a person or the guard refused or stopped is neutral."""
    from ..transcripts import FAILED, NEUTRAL, OK
    from ..transcripts.records import command_failed, refusal, text

    if event == "postToolUseFailure":
        result_text = text(payload.get("error_message"))
        if payload.get("is_interrupt") or result_text.endswith("rejected"):
            return NEUTRAL, True, result_text
        denied = payload.get("failure_type") == "permission_denied"
        return refusal(result_text) if denied else FAILED, True, result_text
    output = payload.get("tool_output")
    result_text = output if isinstance(output, str) else dumps(output)
    result = _object(result_text)
    if result.get("rejected"):
        return NEUTRAL, True, result_text
    if result.get("permissionDenied"):
        return refusal(result_text), True, result_text
    printed = "".join(text(result.get(stream)) for stream in ("output", "stdout", "stderr"))
    exited = command_failed(result.get("exitCode"), printed)
    failed = exited or bool(result.get("isError") or result.get("error"))
    return FAILED if failed else OK, failed, result_text


def _object(result_text: str) -> Json:
    from ..transcripts.records import parse

    return parse(result_text.encode("utf-8", "surrogatepass")) if result_text[:1] == "{" else {}


def _usage(payload: Payload, turn: str, now: float) -> tuple[Event, ...]:
    """Both events tell the four counts, which do not overlap; of one turn the largest are taken."""
    from ..transcripts import USAGE
    from ..transcripts.records import count
    from ..usage import Usage

    input_tokens, output_tokens, read, written = (count(payload.get(name)) for name in COUNTS)
    if not input_tokens + output_tokens + read + written:
        return ()
    usage = Usage(input_tokens, output_tokens, read, written)
    return ((USAGE, now, turn, _model(payload), usage, False),)


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object. Which of the two texts the agent is shown differs from surface to surface."""
    reply: Json = {"additional_context": text}
    if level >= DENY and call.stage == BEFORE_CALL:
        reply = {"permission": "deny", "user_message": text, "agent_message": text}
    elif level >= DENY and call.stage == ON_PROMPT:
        reply = {"continue": False, "user_message": text}
    return dumps(reply).encode("ascii")
