"""What makes Kiro reject an agent file, without a word, and use another agent: read, not run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import KeyPath
from ..load import Problem

RULES = Rules(reader="Kiro")
EVENTS = ("agentSpawn", "userPromptSubmit", "preToolUse", "postToolUse", "stop")


def problems(document: Document) -> Iterator[Problem]:
    """Of an agent file: `hooks` is a map of known events, each a list of flat entries."""
    if not isinstance(document.value, dict):
        yield Problem((), "the top level is not an object")
        return
    hooks = document.value.get("hooks")
    if not isinstance(hooks, dict | None):
        yield Problem(("hooks",), "it must be an object")
        return
    for event, entries in (hooks or {}).items():
        yield from _event(event, entries, ("hooks", event))


def _event(event: str, entries: Any, path: KeyPath) -> Iterator[Problem]:
    if event not in EVENTS:
        yield Problem(path, f"no such event; there are {', '.join(EVENTS)}")
    elif not isinstance(entries, list):
        yield Problem(path, "an event must be a list")
    else:
        for index, entry in enumerate(entries):
            if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
                yield Problem((*path, index), "an entry needs a `command`, and stands in no group")
