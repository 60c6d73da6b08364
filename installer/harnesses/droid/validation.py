"""What makes Droid drop its settings, or all hooks of a file: checked before we write and by the doctor.

The shape is that of Droid's own check (0.225.2): one bad hook, even a stranger's, and none is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import KeyPath, Number
from ..load import Problem

RULES = Rules(reader="Droid", comments=True)
EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionStart",
    "SessionEnd",
)
SWITCHES = ("hooksDisabled", "showHookOutput")


def problems(document: Document) -> Iterator[Problem]:
    """Of a `settings.json`."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "the top level is not an object")
    elif "hooks" in settings:
        yield from hook_faults(settings["hooks"], ("hooks",))


def hook_faults(hooks: Any, path: KeyPath) -> Iterator[Problem]:
    """Of the value of `hooks`; events that Droid does not know are left alone."""
    if not isinstance(hooks, dict):
        yield Problem(path, "it must be an object")
        return
    for switch in SWITCHES:
        if not isinstance(hooks.get(switch, False), bool):
            yield Problem((*path, switch), "it must be true or false")
    for event in EVENTS:
        if event in hooks:
            yield from _groups(hooks[event], (*path, event))


def _groups(groups: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(groups, list):
        yield Problem(path, "it must be a list")
        return
    for index, group in enumerate(groups):
        if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
            yield Problem((*path, index), "a group must be an object with a list `hooks`")
            continue
        for key in ("matcher", "commandRegex"):
            if not isinstance(group.get(key, ""), str):
                yield Problem((*path, index, key), "it must be a text")
        for place, hook in enumerate(group["hooks"]):
            yield from _hook(hook, (*path, index, "hooks", place))


def _hook(hook: Any, path: KeyPath) -> Iterator[Problem]:
    if not isinstance(hook, dict) or hook.get("type") != "command":
        yield Problem(path, 'a hook needs `"type": "command"`')
    elif not isinstance(hook.get("command"), str):
        yield Problem(path, "a hook needs a `command`")
    elif not _is_number(hook.get("timeout", 0)):
        yield Problem((*path, "timeout"), "it must be a number")
    elif not isinstance(hook.get("preserveRiskLevel", False), bool):
        yield Problem((*path, "preserveRiskLevel"), "it must be true or false")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Number) and not isinstance(value, bool)
