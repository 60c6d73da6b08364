"""Qwen Code: https://qwenlm.github.io/qwen-code-docs/; measured behaviour in docs/harnesses/qwen.md."""

from __future__ import annotations

from ..attendance import at_terminal, runs_headless
from ..call import (
    BEFORE_CALL,
    BEFORE_REQUEST,
    DENY,
    EDIT,
    ON_PROMPT,
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
from .claude import DECISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Json, Payload

UNSUPPORTED = frozenset(
    (STOP,)
)  # before a call; a turn is ended when the model is about to be asked again
NO_OPINION = b""
TOOL_KINDS = {
    "run_shell_command": SHELL,
    "agent": SPAWN,
    "web_fetch": WEB,
    "web_search": WEB,
    "edit": EDIT,
    "write_file": EDIT,
    "notebook_edit": EDIT,
    "list_agents": WAIT,
    "wait_threads": WAIT,
}
IGNORED_ARGUMENTS = ("description", "timeout", "is_background")  # change not what is done


def read(payload: Payload, now: float) -> Call:
    """Shape of the payload: PreToolUse and UserPromptSubmit, which comes before every request."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    turn = str(payload.get("prompt_id") or "")
    stage = BEFORE_CALL
    if event == "UserPromptSubmit":
        stage = ON_PROMPT if payload.get("prompt") else BEFORE_REQUEST
    return Call(
        "qwen",
        str(payload["session_id"]),
        event=event,
        stage=stage,
        agent=str(payload.get("agent_id") or ""),
        id=str(payload.get("tool_call_id") or payload.get("tool_use_id") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path") or ""),
        attended=at_terminal(runs_headless),
        batch=_spoken(payload, turn, now) if stage == ON_PROMPT else (),
    )


def identifying_arguments(_tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS)


def _spoken(payload: Payload, turn: str, now: float) -> tuple[Event, ...]:
    """What a Stop hook goes on with comes under the id of the prompt, and nobody has submitted it."""
    from ..transcripts import NEW_ID, PROMPT

    submitted = "submitted_prompt" in payload or not turn
    return ((PROMPT, now, turn or str(now), True if submitted else NEW_ID),)


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object in Claude Code's words. A note before a call reaches nobody."""
    if call.stage != BEFORE_CALL and level >= DENY:
        return dumps({"decision": "block", "reason": text}).encode("ascii")
    hook: Json = {"hookEventName": call.event}
    reply: Json = {"hookSpecificOutput": hook, "systemMessage": text}
    if level in DECISIONS:
        hook["permissionDecision"] = DECISIONS[level]
        hook["permissionDecisionReason"] = text
    else:
        hook["additionalContext"] = text
    return dumps(reply).encode("ascii")
