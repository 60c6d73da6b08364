"""What each harness says and understands: read(payload) -> Call, answer(...) -> bytes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from ..state import Payload

# Those that run hooks of Claude Code's settings too, in their own words.
CURSOR, COPILOT, VSCODE, GROK = "cursor", "copilot", "vscode", "grok"
KIRO = "kiro"
DIALECTS = (
    "claude",
    "codex",
    CURSOR,
    "gemini",
    COPILOT,
    VSCODE,
    "opencode",
    "qwen",
    "droid",
    GROK,
    "pi",
    "antigravity",
    KIRO,
)


def sender(harness: str, payload: Payload) -> str:
    """Return the harness that speaks in a payload: others run Claude Code's hooks too."""
    if "cursor_version" in payload:
        return CURSOR
    if "workspaceRoot" in payload and "hookEventName" in payload:
        return GROK
    if harness not in ("claude", COPILOT) or "timestamp" not in payload:
        return harness
    if "permission_mode" in payload:
        return harness
    return VSCODE if "transcript_path" in payload else COPILOT


def dialect_of(harness: str) -> ModuleType:
    """Import the module of this harness, and no other; ValueError if there is none."""
    if harness not in DIALECTS:
        raise ValueError(f"unknown harness {harness!r}")
    return __import__(f"{__package__}.{harness}", fromlist=["read"])
