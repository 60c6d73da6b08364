"""What the output of a call in a rollout tells of it: Codex says in words whether it ran and failed."""

from __future__ import annotations

from . import MARKER, NEUTRAL
from .records import refusal

EXIT_CODES = ("Process exited with code ", "Exit code: ", '"exit_code":')
SILENT = ("Output:", '{"output":""')  # how the result of a command without output ends, or begins
BEGINNING = 400  # characters in which a result tells what became of the call
FAILURES = ("unsupported call", "failed to parse", "apply_patch verification failed",
            "exec_command failed", "execution error", "tool call error", "unknown tool")  # fmt: skip
BY_SETTINGS = "rejected by user approval settings"  # which are no person's answer
STOPPED = (MARKER, "aborted by user", "rejected by user")
REFUSALS = ("Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook",
            "approval policy is ", "patch rejected: ",
            'exec_command failed: CreateProcess { message: "Rejected(')  # fmt: skip


def held_back(result_text: str) -> str:
    """Return the outcome of a call that never ran or was stopped, "" for any other."""
    first = result_text[:BEGINNING]
    if BY_SETTINGS not in first and any(words in first for words in STOPPED):
        return NEUTRAL
    return refusal(first) if first.startswith(REFUSALS) or BY_SETTINGS in first else ""


def has_failed(result_text: str) -> bool:
    """Tell whether the call failed, by its exit code or by Codex's own words."""
    first = result_text[:BEGINNING]
    for words in EXIT_CODES:
        _, found, rest = first.partition(words)
        if found:
            code = rest.lstrip()
            return not code.startswith("0") and not (_is_one(code) and _silent(result_text))
    return first.startswith(FAILURES)


def _is_one(code: str) -> bool:
    return code[:1] == "1" and not code[1:2].isdecimal()


def _silent(result_text: str) -> bool:
    return result_text.startswith(SILENT[1]) or result_text.rstrip().endswith(SILENT[0])
