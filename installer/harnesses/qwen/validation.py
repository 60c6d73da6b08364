"""What makes Qwen Code refuse to start or run no hooks: checked before we write and by the doctor.

Measured (docs/harnesses/qwen.md); it has this part from Gemini CLI.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.json_document import Document, Rules
from ..gemini.validation import hook_faults
from ..load import Problem

RULES = Rules(reader="Qwen Code", comments=True, bom=True, effect="does not start with this file")
MATCHED = "PreToolUse"  # of the events that are bound, the one whose matchers are looked at


def problems(document: Document) -> Iterator[Problem]:
    """Everything for which no hook runs before a tool, or Qwen Code does not start."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "it does not start with a file whose top level is not an object")
    elif settings.get("hooks") is not None:
        yield from hook_faults(settings["hooks"], MATCHED)
