"""VS Code's chat with GitHub Copilot: measured behaviour in docs/harnesses/vscode.md.

It runs Copilot CLI's file of hooks and, where a person has switched that on, Claude Code's: whoever
registered the command, its payload says that it is the editor.
"""

from __future__ import annotations

from ..call import (
    AGENT_ID,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Json, Payload

NO_OPINION = b""
UNSUPPORTED = frozenset((STOP, AGENT_ID))  # no answer ends a running turn; subagents are not told
TOOL_KINDS = {
    **dict.fromkeys(("run_in_terminal", "send_to_terminal", "create_and_run_task"), SHELL),
    **dict.fromkeys(("runSubagent", "execution_subagent"), SPAWN),
    **dict.fromkeys(("search_subagent", "explore_subagent"), SPAWN),
    "fetch_webpage": WEB,
    **dict.fromkeys(("create_file", "insert_edit_into_file", "apply_patch"), EDIT),
    **dict.fromkeys(("replace_string_in_file", "multi_replace_string_in_file"), EDIT),
    "edit_notebook_file": EDIT,
    "get_terminal_output": WAIT,
}
IGNORED = ("explanation", "goal", "description", "reason", "details")  # words for the person
IGNORED_ARGUMENTS = {  # further arguments that do not change what is done
    "run_in_terminal": ("timeout", "isBackground", "mode"),
}
SAME = {"filePath": "file_path"}  # what others call it
PATCH = {**SAME, "input": "command"}
DECISIONS = {ASK: "ask", DENY: "deny"}


def read(payload: Payload, _now: float) -> Call:
    """Shape of the payload: PreToolUse and UserPromptSubmit, which comes for a subagent's task too.

    Somebody is in front of an editor; who leaves it alone says so in config.toml.
    """
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    return Call(
        "vscode",
        str(payload["session_id"]),
        event=event,
        stage=ON_PROMPT if event == "UserPromptSubmit" else BEFORE_CALL,
        id=call_id(str(payload.get("tool_use_id") or "")),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path") or ""),
        attended=True,
    )


def call_id(told: str) -> str:
    """Return the id that the transcript has: hooks are told one with the editor's own number behind."""
    return told.partition("__vscode-")[0]


def identifying_arguments(tool: str, arguments: object) -> object:
    kept = drop_ignored(arguments, (*IGNORED, *IGNORED_ARGUMENTS.get(tool, ())))
    if not isinstance(kept, dict):
        return kept
    names = PATCH if tool == "apply_patch" else SAME
    return {names.get(name, name): value for name, value in kept.items()}


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object, for a second line would void it. `systemMessage` is shown to the person."""
    hook: Json = {"hookEventName": call.event}
    if level == NOTE:
        hook["additionalContext"] = text
        return dumps({"hookSpecificOutput": hook, "systemMessage": text}).encode("ascii")
    if call.stage == ON_PROMPT:
        return dumps({"decision": "block", "reason": text}).encode("ascii")
    hook["permissionDecision"] = DECISIONS[level]
    hook["permissionDecisionReason"] = text
    return dumps({"hookSpecificOutput": hook}).encode("ascii")
