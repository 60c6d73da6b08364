"""Gemini CLI: https://geminicli.com/docs/hooks/; measured behaviour in docs/harnesses/gemini.md.

A hook is told neither an id of the call nor which agent makes it; the log has the former.
"""

from __future__ import annotations

from ..attendance import at_terminal, runs_headless, single_run
from ..call import (
    AGENT_ID,
    ASK,
    BEFORE_CALL,
    EDIT,
    NOTE,
    ON_PROMPT,
    OTHER,
    SHELL,
    SPAWN,
    STOP,
    UNNAMED,
    WAIT,
    WEB,
    Call,
    drop_ignored,
)
from ..fastjson import dumps
from ..history import key_of
from ..system import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state import Event, Json, Payload

UNSUPPORTED = frozenset((AGENT_ID,))
NO_OPINION = b""
TOOL_KINDS = {
    "run_shell_command": SHELL,
    "invoke_agent": SPAWN,
    "google_web_search": WEB,
    "web_fetch": WEB,
    "replace": EDIT,
    "write_file": EDIT,
    "list_background_processes": WAIT,
    "read_background_output": WAIT,
}
IGNORED_ARGUMENTS = (
    "description",
    "instruction",
    "delay_ms",
    "wait_for_previous",
)  # change not what is done
HEADLESS = ("CI", "GITHUB_ACTIONS")  # Gemini CLI then asks nobody, even on a terminal


def read(payload: Payload, now: float) -> Call:
    """Shape of the payload: BeforeTool and BeforeAgent; the time tells two equal calls apart."""
    event = str(payload.get("hook_event_name", ""))
    tool = str(payload.get("tool_name", ""))
    when = str(payload.get("timestamp") or "")
    arguments = identifying_arguments(tool, payload.get("tool_input"))
    spoken = event == "BeforeAgent"
    return Call(
        "gemini",
        str(payload["session_id"]),
        event=event,
        stage=ON_PROMPT if spoken else BEFORE_CALL,
        id=f"{UNNAMED}{when} {key_of(tool, OTHER, arguments, '')}" if when else "",
        tool=tool,
        kind=TOOL_KINDS.get(tool, OTHER),
        arguments=arguments,
        cwd=str(payload.get("cwd", "")),
        transcript=str(payload.get("transcript_path") or ""),
        attended=_attended(),
        batch=_spoken(when, now) if spoken else (),
    )


def identifying_arguments(_tool: str, arguments: object) -> object:
    return drop_ignored(arguments, IGNORED_ARGUMENTS)


def _spoken(when: str, now: float) -> tuple[Event, ...]:
    """The event comes for what a person says, and for what an AfterAgent hook goes on with.

    They look the same, but a run that was given its prompt by an option is given no other. The log has
    notes of the harness among them.
    """
    from ..transcripts import NEW_ID, PROMPT

    run = single_run()
    return ((PROMPT, now, run, NEW_ID) if run else (PROMPT, now, when or str(now), True),)


def _attended() -> bool:
    """Gemini CLI does not say. Where nobody is there, an `ask` would wait for ever."""
    if any(variable(name) == "true" for name in HEADLESS):
        return False
    return at_terminal(runs_headless)


def answer(call: Call, level: int, text: str) -> bytes:
    """One JSON object. A person who is asked reads `systemMessage`, the model `reason`."""
    if level == NOTE:
        reply: Json = {"systemMessage": text}
        if call.stage == ON_PROMPT:
            hook = {"hookEventName": call.event, "additionalContext": text}
            reply["hookSpecificOutput"] = hook
    elif level == ASK:
        reply = {"decision": "ask", "reason": text, "systemMessage": text}
    else:
        reply = {"decision": "deny", "reason": text}
    if level == STOP:
        reply["continue"] = False
        reply["stopReason"] = text
    return dumps(reply).encode("ascii")
