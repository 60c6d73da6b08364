"""Factory Droid: https://docs.factory.ai/reference/hooks-reference; measured behaviour in
docs/harnesses/droid.md.
"""

from __future__ import annotations

from ..call import ASK, DENY, EDIT, OTHER, SHELL, SPAWN, STOP, WAIT, WEB, Call, drop_ignored
from ..fastjson import dumps
from ..system import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Json, Payload

NO_OPINION = b""
UNSUPPORTED = frozenset((ASK,))  # an `ask` lets the call run, on a terminal too
TOOL_KINDS = {
    "Execute": SHELL,
    "Task": SPAWN,
    "TaskOutput": WAIT,
    "WaitForScript": WAIT,
    "WebSearch": WEB,
    "FetchUrl": WEB,
    "Edit": EDIT,
    "Create": EDIT,
    "ApplyPatch": EDIT,
}
IGNORED_ARGUMENTS = {  # arguments that do not change what is done
    "Execute": ("summary", "riskLevel", "riskLevelReason", "timeout"),
    "Task": ("description",),
}


def read(payload: Payload, now: float) -> Call:
    """A call has no id. A subagent is a session of its own."""
    tool = str(payload.get("tool_name", ""))
    return Call(
        "droid",
        str(payload["session_id"]),
        event=str(payload.get("hook_event_name", "")),
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path") or ""),
        attended=variable("FACTORY_UPSTREAM_CLIENT_TYPE") == "cli",  # not in `droid exec`
    )


def identifying_arguments(tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS.get(tool, ()))


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object. A note reaches nobody: neither the model nor the person is shown one."""
    if level < DENY:
        return NO_OPINION
    hook = {"hookEventName": call.event, "permissionDecision": "deny"}
    reply: Json = {"hookSpecificOutput": {**hook, "permissionDecisionReason": text}}
    if level == STOP:
        reply["continue"] = False
        reply["stopReason"] = text
    return dumps(reply).encode("ascii")
