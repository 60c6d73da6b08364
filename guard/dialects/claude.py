"""Claude Code: https://code.claude.com/docs/en/hooks; measured behaviour in docs/harnesses.md."""

from __future__ import annotations

from ..call import (
    AFTER_CALLS,
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
    OTHER,
    SHELL,
    SPAWN,
    STOP,
    WAIT,
    WEB,
    Call,
    drop_ignored,
)
from ..fastjson import dumps
from ..system import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Json, Payload

UNSUPPORTED: frozenset[int] = frozenset()
NO_OPINION = b""  # even `{}` would leave a record in the transcript on every call
TOOL_KINDS = {
    "Bash": SHELL,
    "Agent": SPAWN,
    "Task": SPAWN,
    "WebSearch": WEB,
    "WebFetch": WEB,
    "Edit": EDIT,
    "Write": EDIT,
    "NotebookEdit": EDIT,
    **dict.fromkeys(("TaskOutput", "WaitForMcpServers", "ListAgents"), WAIT),
    **dict.fromkeys(("BashOutput", "BashOutputTool"), WAIT),  # from here on those of older releases
    **dict.fromkeys(("AgentOutput", "AgentOutputTool"), WAIT),
}
IGNORED_ARGUMENTS = {  # arguments that do not change what is done
    "Bash": ("description", "timeout", "run_in_background"),
    "Agent": ("description",),
    "Task": ("description",),
}
FAILURES = ("<tool_use_error>", "Exit code ")  # how a result begins when the call failed
DECISIONS = {ASK: "ask", DENY: "deny", STOP: "deny"}


def read(payload: Payload, now: float) -> Call:
    """Shape of the payload: the hooks reference, PreToolUse and PostToolBatch."""
    tool = str(payload.get("tool_name", ""))
    event = str(payload.get("hook_event_name", ""))
    return Call(
        "claude",
        str(payload["session_id"]),
        event=event,
        stage=AFTER_CALLS if event == "PostToolBatch" else BEFORE_CALL,
        agent=str(payload.get("agent_id", "")),
        prompt=str(payload.get("prompt_id", "")),
        id=str(payload.get("tool_use_id", "")),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path", "")),
        attended=_attended(),
        batch=_batch(payload, now) if event == "PostToolBatch" else (),
    )


def _batch(payload: Payload, now: float) -> tuple[Event, ...]:
    """The calls of one response with their results, as a transcript would tell them."""
    from ..transcripts import CALL, RESULT
    from ..transcripts.claude import REFUSALS, STOPPED, outcome_of
    from ..transcripts.digests import result_digest
    from ..transcripts.records import content_text, objects, text

    found: list[Event] = []
    for call in objects(payload.get("tool_calls")):
        identity, tool = text(call.get("tool_use_id")), text(call.get("tool_name"))
        result_text = content_text(call.get("tool_response"))
        failed = result_text.startswith((*FAILURES, *STOPPED, *REFUSALS))
        outcome = outcome_of(failed, result_text)
        text_digest = result_digest(failed, result_text)
        found.append(
            (CALL, now, identity, tool, call.get("tool_input"), "", text(payload.get("cwd")))
        )
        found.append((RESULT, now, identity, outcome, text_digest, f"batch {now}", False))
    return tuple(found)


def identifying_arguments(tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS.get(tool, ()))


def _attended() -> bool:
    """Is somebody there to answer? Claude Code says so; older releases tell by entry point."""
    attended = variable("CLAUDE_CODE_SESSION_ATTENDED")
    if attended is None:
        return variable("CLAUDE_CODE_ENTRYPOINT") == "cli"
    return attended == "1"


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object. Deny alone never ends a turn; `continue: false` alone would run the tool."""
    hook: Json = {"hookEventName": call.event}
    reply: Json = {"hookSpecificOutput": hook}
    if level == NOTE:
        hook["additionalContext"] = text
        reply["systemMessage"] = text
    elif call.stage == BEFORE_CALL:
        hook["permissionDecision"] = DECISIONS[level]
        hook["permissionDecisionReason"] = text
    if level == STOP:
        reply["continue"] = False
        reply["stopReason"] = text
    return dumps(reply).encode("ascii")
