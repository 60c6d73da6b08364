"""GitHub Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration; measured
behaviour in docs/harnesses/copilot.md.
"""

from __future__ import annotations

from ..call import (
    ASK,
    BEFORE_CALL,
    DENY,
    EDIT,
    NOTE,
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
from ..system import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Json, Payload

NO_OPINION = b""
UNSUPPORTED = frozenset((STOP,))  # no answer ends a running turn
TOOL_KINDS = {
    "Bash": SHELL,
    "Agent": SPAWN,
    "WebSearch": WEB,
    "WebFetch": WEB,
    "Write": EDIT,
    "Edit": EDIT,
    "read_bash": WAIT,
    "read_powershell": WAIT,
    "read_agent": WAIT,
    "list_agents": WAIT,
}
IGNORED_ARGUMENTS = {  # arguments that do not change what is done
    "Bash": ("description", "initial_wait", "shellId"),
    "Agent": ("description", "name"),
}
SAME = {"file_text": "content", "filePath": "file_path"}  # what others call it
DECISIONS = {ASK: "ask", DENY: "deny"}


def read(payload: Payload, now: float) -> Call:
    """A call has no id. A subagent is a session of its own that names the one it was started from."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    agent = str(payload.get("agent_id") or "")
    session = str((agent and payload.get("parent_agent_id")) or payload["session_id"])
    return Call(
        "copilot",
        session,
        event=event,
        stage=ON_PROMPT if event == "UserPromptSubmit" else BEFORE_CALL,
        agent=agent,
        id=str(payload.get("tool_use_id") or ""),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=_log(session),
        attended=variable("COPILOT_LOADER_PID") is not None,  # only on a terminal
    )


def is_wired(files: list[str]) -> bool:
    """Has Copilot put this call to the guard by its own file, before it came to Claude Code's?"""
    return _folder() + "/hooks/runaway.json" in files


def _folder() -> str:
    return variable("COPILOT_HOME") or f"{variable('HOME') or ''}/.copilot"


def _log(session: str) -> str:
    return f"{_folder()}/session-state/{session}/events.jsonl"


def identifying_arguments(tool: str, arguments: object) -> object:
    if isinstance(arguments, str):  # a patch comes bare
        return {"command": arguments}
    kept = drop_ignored(arguments, IGNORED_ARGUMENTS.get(tool, ()))
    if not isinstance(kept, dict):
        return kept
    return {SAME.get(name, name): value for name, value in kept.items()}


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object, and before a note a line that Copilot shows to the person."""
    hook: Json = {"hookEventName": call.event}
    if level == NOTE:
        return _note(call, {**hook, "additionalContext": text}, text)
    if call.stage == ON_PROMPT:
        return dumps({"decision": "block", "reason": text}).encode("ascii")
    hook["permissionDecision"] = DECISIONS[level]
    hook["permissionDecisionReason"] = text
    return dumps({"hookSpecificOutput": hook}).encode("ascii")


def _note(call: Call, hook: Json, text: str) -> bytes:
    """Before a prompt Copilot passes nothing on to the model."""
    shown = dumps({"type": "progress", "message": text}) + "\n"
    told = dumps({"hookSpecificOutput": hook})
    return (shown if call.stage == ON_PROMPT else shown + told).encode("ascii")
