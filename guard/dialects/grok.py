"""Grok Build: the guide in its package; measured behaviour in docs/harnesses/grok.md.

Whoever registered the command: Grok also runs hooks of Claude Code's settings, with its own payload.
"""

from __future__ import annotations

from ..attendance import at_terminal
from ..call import (
    ASK,
    BEFORE_CALL,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Json, Payload

UNSUPPORTED = frozenset((STOP,))  # no answer ends a running turn
NO_OPINION = b""
TOOL_KINDS = {
    "run_terminal_command": SHELL,
    "monitor": SHELL,
    "spawn_subagent": SPAWN,
    "workflow": SPAWN,
    "web_search": WEB,
    "web_fetch": WEB,
    "write": EDIT,
    "search_replace": EDIT,
    "get_command_or_subagent_output": WAIT,
    "scheduler_list": WAIT,
}
IGNORED_ARGUMENTS = {  # arguments that do not change what is done
    "run_terminal_command": ("description", "timeout", "background", "is_background"),
    "monitor": ("description", "timeout_ms", "persistent"),
    "spawn_subagent": ("description", "background"),
}
DECISIONS = {ASK: "ask", DENY: "deny"}
HEADLESS = ("-p", "--single", "--prompt-file", "--prompt-json")
UNASKED = "bypassPermissions"  # always-approve: what a hook asks is answered yes


def read(payload: Payload, _now: float) -> Call:
    """Shape of the payload: PreToolUse and UserPromptSubmit. A subagent is a session of its own."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    return Call(
        "grok",
        str(payload["session_id"]),
        event=event,
        stage=ON_PROMPT if event == "UserPromptSubmit" else BEFORE_CALL,
        id=str(payload.get("tool_use_id") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path") or ""),
        attended=payload.get("permission_mode") != UNASKED and at_terminal(_runs_headless),
    )


def _runs_headless(word: str) -> bool:
    return word.partition("=")[0] in HEADLESS


def identifying_arguments(tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS.get(tool, ()))


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object in Claude Code's words. A note is read by the model after the call."""
    if call.stage == ON_PROMPT and level >= DENY:
        return dumps({"decision": "block", "reason": text}).encode("ascii")
    hook: Json = {"hookEventName": call.event}
    if level in DECISIONS:
        hook["permissionDecision"] = DECISIONS[level]
        hook["permissionDecisionReason"] = text
    else:
        hook["additionalContext"] = text
    return dumps({"hookSpecificOutput": hook}).encode("ascii")
