"""Google Antigravity: its hooks.json, measured in docs/harnesses/antigravity.md.

It lets everything run but an explicit denial of exactly its own shape: an answer with one key more is
none, and `{}` denies. A hook is not told which event it is run for.
"""

from __future__ import annotations

from ..attendance import at_terminal, runs_headless
from ..call import (
    ASK,
    BEFORE_CALL,
    BEFORE_REQUEST,
    DENY,
    EDIT,
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
    from ..state import Payload

UNSUPPORTED = frozenset((STOP,))  # before a call; a turn is ended after its next response
NO_OPINION = b""
PRE_TOOL, POST_INVOCATION = "PreToolUse", "PostInvocation"
TOOL_KINDS = {
    "run_command": SHELL,
    "invoke_subagent": SPAWN,
    "search_web": WEB,
    "read_url_content": WEB,
    "write_to_file": EDIT,
    "replace_file_content": EDIT,
    "multi_replace_file_content": EDIT,
    "command_status": WAIT,
}
IGNORED_ARGUMENTS = (
    *("toolAction", "toolSummary", "Description", "Instruction"),
    *("WaitMsBeforeAsync", "SafeToAutoRun", "Blocking"),
)


def read(payload: Payload, _now: float) -> Call:
    """A call is known by its step; a subagent is a conversation of its own."""
    called = payload.get("toolCall")
    call = called if isinstance(called, dict) else {}
    tool = str(call.get("name") or "")
    folders = payload.get("workspacePaths")
    return Call(
        "antigravity",
        str(payload["conversationId"]),
        event=PRE_TOOL if call else POST_INVOCATION,
        stage=BEFORE_CALL if call else BEFORE_REQUEST,
        id=str(payload.get("stepIdx", "")),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, call.get("args")),
        cwd=str(folders[0]) if isinstance(folders, list) and folders else "",
        transcript=str(payload.get("transcriptPath") or ""),
        attended=at_terminal(runs_headless),
    )


def identifying_arguments(_tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS)


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object without a key that Antigravity does not know. A note reaches nobody."""
    if call.stage == BEFORE_REQUEST:
        return dumps({"terminationBehavior": "terminate"}).encode() if level >= DENY else NO_OPINION
    if level < ASK:
        return NO_OPINION
    decision = "force_ask" if level == ASK else "deny"  # a policy that allows all answers `ask`
    return dumps({"decision": decision, "reason": text}).encode("ascii")
