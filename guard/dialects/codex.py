"""Codex CLI: https://developers.openai.com/codex/hooks; measured behaviour in docs/harnesses/codex.md.

A key that Codex does not know, or knows for another event, makes it ignore the whole answer.
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
    WAIT,
    Call,
    drop_ignored,
)
from ..fastjson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Json, Payload

NO_OPINION = b""
UNSUPPORTED = frozenset((ASK, STOP))  # `ask` fails open, and no event can end a running turn
STAGES = {"UserPromptSubmit": ON_PROMPT, "PostModelRequest": ON_USAGE}
TOOL_KINDS = {  # the namespace of a tool is glued to its name, but for `spawn_agent` of multi_agent_v1
    "Bash": SHELL,
    "apply_patch": EDIT,
    "spawn_agent": SPAWN,
    "collaborationspawn_agent": SPAWN,
    "wait_agent": WAIT,
    "multi_agent_v1wait_agent": WAIT,
    "collaborationwait_agent": WAIT,
    "collaborationlist_agents": WAIT,
    "clocksleep": WAIT,
    "wait_for_environment": WAIT,
}
ASKED = ("default", "acceptEdits", "plan")  # modes in which somebody is asked for permissions
COUNTS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
)


def read(payload: Payload, now: float) -> Call:
    """A subagent has a turn of its own, which no person began."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    agent = str(payload.get("agent_id") or "")
    turn = "" if agent else str(payload.get("turn_id") or "")
    stage = STAGES.get(event, BEFORE_CALL)
    return Call(
        "codex",
        str(payload["session_id"]),
        event=event,
        stage=stage,
        agent=agent,
        prompt=turn if stage == BEFORE_CALL else "",
        id=str(payload.get("tool_use_id") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path") or ""),  # null in ephemeral sessions
        model=str(payload.get("model", "")),
        attended=payload.get("permission_mode") in ASKED,
        batch=() if stage == BEFORE_CALL else _told(payload, stage, turn, now),
    )


def identifying_arguments(tool: str, arguments: object) -> object:
    return drop_ignored(arguments)


def _told(payload: Payload, stage: str, turn: str, now: float) -> tuple[Event, ...]:
    """What the rollout will tell too, where there is one; here it comes first."""
    from ..transcripts import PROMPT

    if stage == ON_PROMPT:
        return ((PROMPT, now, turn, True),) if turn else ()
    return _usage(payload, now)


def _usage(payload: Payload, now: float) -> tuple[Event, ...]:
    """Under the id of the response, by which the same record of the rollout is known for a copy."""
    from ..transcripts import USAGE
    from ..transcripts.records import count, mapping, text
    from ..usage import Usage

    told = mapping(payload.get("token_usage"))
    input_tokens, read, written, output_tokens = (count(told.get(name)) for name in COUNTS)
    identity = text(payload.get("response_id"))
    if not identity or not input_tokens + output_tokens:
        return ()
    fresh = max(0, input_tokens - read - written)
    usage = Usage(input=fresh, output=output_tokens, cache_read=read, cache_write_5m=written)
    return ((USAGE, now, identity, text(payload.get("model")), usage, False),)


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object of known keys; what is printed after a response is ignored."""
    if call.stage == ON_USAGE:
        return NO_OPINION
    if level < DENY:
        hook = {"hookEventName": call.event, "additionalContext": text}
        reply: Json = {"systemMessage": text, "hookSpecificOutput": hook}
    elif call.stage == ON_PROMPT:
        reply = {"decision": "block", "reason": text}
    else:
        hook = {"hookEventName": call.event, "permissionDecision": "deny"}
        reply = {"hookSpecificOutput": {**hook, "permissionDecisionReason": text}}
    return dumps(reply).encode("ascii")
