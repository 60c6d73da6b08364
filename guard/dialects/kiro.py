"""Kiro, CLI and IDE: https://kiro.dev/docs/cli/v3/hooks and /docs/cli/hooks; docs/harnesses/kiro.md.

Read in its documents and in payloads that others have captured, not seen. Kiro takes no answer but an
exit code, which the registered command makes of a text of ours (guard/tampering/registered.py).
"""

from __future__ import annotations

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
    WEB,
    Call,
    digest,
    drop_ignored,
)
from ..system import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Payload

NO_OPINION = b""
UNSUPPORTED = frozenset((ASK, STOP))  # an exit code denies and does nothing else
TOOL_KINDS = {
    **dict.fromkeys(("execute_bash", "execute_cmd", "shell"), SHELL),
    **dict.fromkeys(("fs_write", "write", "str_replace"), EDIT),
    **dict.fromkeys(("use_subagent", "subagent", "delegate"), SPAWN),
    **dict.fromkeys(("web_search", "web_fetch"), WEB),
}
SUBAGENTS = "subagent_"  # begins the names by which CLI 3 starts one
IGNORED = ("summary",)  # words for the person
SAME = {"path": "file_path", "file_text": "content"}  # what others call it
PROMPTS = ("userPromptSubmit", "UserPromptSubmit")


def read(payload: Payload, now: float) -> Call:
    """Of either spelling; a run without a terminal names no session: then it is the folder's."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    is_prompt = event in PROMPTS
    return Call(
        "kiro",
        _session(payload),
        event=event,
        stage=ON_PROMPT if is_prompt else BEFORE_CALL,
        tool=tool,
        kind=SPAWN if tool.startswith(SUBAGENTS) else TOOL_KINDS.get(tool, OTHER),
        arguments=identifying_arguments(tool, payload.get("tool_input")),
        cwd=str(payload.get("cwd", "")),
        batch=_prompt(now) if is_prompt else (),
    )


def _session(payload: Payload) -> str:
    told = payload.get("session_id") or variable("KIRO_SESSION_ID")
    return str(told) if told else "folder-" + digest(str(payload["cwd"]))


def _prompt(now: float) -> tuple[Event, ...]:
    """Return the prompt, by a made-up id: it has none, and none is another's."""
    from ..transcripts import PROMPT

    return ((PROMPT, now, str(now), True),)


def identifying_arguments(tool: str, arguments: object) -> object:
    kept = drop_ignored(arguments, IGNORED)
    if not isinstance(kept, dict):
        return kept
    return {SAME.get(name, name): value for name, value in kept.items()}


def answer(call: Call, level: int, text: str) -> bytes:
    """The reason alone. A note reaches nobody."""
    return text.encode("utf-8", "replace") if level >= DENY else NO_OPINION
