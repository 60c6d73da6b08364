"""What makes Grok Build ignore a whole file of hooks: checked before we write and by the doctor.

Measured on 1.0.41 (docs/harnesses/grok.md): strict JSON with `hooks`, and every hook of an event that it
knows must have values of the right types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import KeyPath
from ..load import Problem

RULES = Rules(reader="Grok Build")
EVENTS = frozenset(
    (
        *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied", "Notification"),
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreCompact", "PostCompact"),
        *("Stop", "StopFailure", "StopCancelled", "SubagentStart", "SubagentStop", "SubagentEnd"),
        *("preToolUse", "postToolUse", "postToolUseFailure", "sessionStart", "sessionEnd", "stop"),
        *("beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeSubmitPrompt"),
        *("afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterAgentResponse"),
        *("afterAgentThought", "subagentStart", "subagentStop", "preCompact"),
    )
)
TEXTS = ("command", "url")


def problems(document: Document) -> Iterator[Problem]:
    """Everything for which Grok ignores the whole file; one without `hooks` is only unfinished."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "the top level is not an object")
        return
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        yield Problem(("hooks",), "it must be an object")
        return
    for event in EVENTS.intersection(hooks):
        yield from _groups(hooks[event], ("hooks", event))


def _groups(groups: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(groups, list):
        yield Problem(path, "it must be a list")
        return
    for index, group in enumerate(groups):
        if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
            yield Problem((*path, index), "a group must be an object with a list `hooks`")
            continue
        if not isinstance(group.get("matcher", ""), str | None):
            yield Problem((*path, index, "matcher"), "it must be a text")
        for place, hook in enumerate(group["hooks"]):
            yield from _hook(hook, (*path, index, "hooks", place))


def _hook(hook: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(hook, dict) or not isinstance(hook.get("type"), str):
        yield Problem(path, "a hook must be an object with a `type`")
        return
    for key in TEXTS:
        if not isinstance(hook.get(key), str | None):
            yield Problem((*path, key), "it must be a text")
    if not _is_seconds(hook.get("timeout")):
        yield Problem((*path, "timeout"), "it must be a whole number of seconds")
    variables = hook.get("env", {})
    if not isinstance(variables, dict) or not all(isinstance(it, str) for it in variables.values()):
        yield Problem((*path, "env"), "it must be an object of texts")


def _is_seconds(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value is None or whole
