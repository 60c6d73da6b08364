"""What makes Gemini CLI refuse to start or run no hooks: checked before we write and by the doctor.

Measured (docs/harnesses/gemini.md): a file that does not parse keeps it from starting; what does not
fit is warned about and mostly skipped, but a stranger's matcher that is no text silences an event.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import KeyPath, Number
from ..load import Problem

RULES = Rules(reader="Gemini CLI", comments=True, effect="does not start with this file")
MATCHED = "BeforeTool"  # of the events that are bound, the one whose matchers are looked at


def problems(document: Document) -> Iterator[Problem]:
    """Everything for which no hook runs before a tool, or Gemini CLI does not start."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "it does not start with a file whose top level is not an object")
        return
    if settings.get("hooksConfig", {}) is None:
        yield Problem(("hooksConfig",), "it does not start where this is null")
    yield from hook_faults(settings.get("hooks", {}), MATCHED)


def hook_faults(hooks: Any, event: str) -> Iterator[Problem]:
    """Everything in `hooks` for which no hook of this event runs."""
    if not isinstance(hooks, dict):
        yield Problem(("hooks",), "it runs no hooks where this is not an object")
        return
    groups = hooks.get(event)
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if _breaks(group):
            path: KeyPath = ("hooks", event, index, "matcher")
            yield Problem(path, "it runs no hook of this event where a matcher is not a text")


def _breaks(group: Any) -> bool:
    """A matcher is looked at once the group has a handler; what counts as false in JavaScript is none."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return False
    matcher = group.get("matcher")
    if isinstance(matcher, Number):
        return float(matcher) != 0
    return not isinstance(matcher, str) and matcher not in (None, False, 0) and bool(group["hooks"])
