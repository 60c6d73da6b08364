"""The harnesses that `runaway` knows, in the order in which they are shown."""

from __future__ import annotations

from ..errors import Refusal
from . import (
    antigravity,
    claude,
    codex,
    copilot,
    cursor,
    droid,
    gemini,
    grok,
    kiro,
    opencode,
    pi,
    qwen,
    vscode,
)
from .base import Harness

HARNESSES: dict[str, Harness] = {
    "claude": claude,
    "codex": codex,
    "cursor": cursor,
    "gemini": gemini,
    "copilot": copilot,
    "vscode": vscode,
    "opencode": opencode,
    "qwen": qwen,
    "droid": droid,
    "grok": grok,
    "pi": pi,
    "antigravity": antigravity,
    "kiro": kiro,
}


def harness_named(name: str) -> Harness:
    """The module of this name; a usage error listing the known ones otherwise."""
    if name not in HARNESSES:
        known = ", ".join(HARNESSES)
        raise Refusal(
            f"There is no harness named {name!r}; known are: {known}.",
            code="unknown-harness",
            usage=True,
        )
    return HARNESSES[name]
