"""What makes Cursor ignore a whole hooks.json: checked before we write and by the doctor.

Measured (docs/harnesses/cursor.md): one unknown event or one bad entry, even a stranger's, silences all
hooks of the file, and comments are taken out without a look at where strings begin and end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.json_scanner import scan
from ...documents.values import KeyPath, Number
from ..load import Problem

RULES = Rules(reader="Cursor", comments=True)
VERSION = 1
EVENTS = frozenset(
    [
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "beforeShellExecution",
        "afterShellExecution",
        "beforeMCPExecution",
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
        "beforeTabFileRead",
        "afterTabFileEdit",
        "beforeSubmitPrompt",
        "afterAgentResponse",
        "afterAgentThought",
        "stop",
        "sessionStart",
        "sessionEnd",
        "preCompact",
        "subagentStart",
        "subagentStop",
        "workspaceOpen",
    ]
)
LINE_COMMENT = re.compile(r"//[^\n\r\u2028\u2029]*")
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NAMED_GROUP = re.compile(r"\(\?<(?=\w)")  # JavaScript's spelling of Python's (?P<
DEEPEST = 8  # steps to a text that is looked for
BROKEN_PATTERN = ("missing )", "unterminated", "unbalanced", "nothing to repeat")


def problems(document: Document) -> Iterator[Problem]:
    """Everything for which Cursor ignores the whole file; a file without hooks is only unfinished."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "the top level is not an object")
        return
    yield from _misread(document)
    hooks = settings.get("hooks")
    if "version" in settings or hooks:
        yield from _version(settings)
    if "hooks" in settings and not isinstance(hooks, dict):
        yield Problem(("hooks",), "it must be an object")
    for event, entries in (hooks if isinstance(hooks, dict) else {}).items():
        yield from _event(event, entries)


def _misread(document: Document) -> Iterator[Problem]:
    """Cursor drops `//` to the end of the line, then `/* */`, inside strings too."""
    bare = scan(BLOCK_COMMENT.sub("", LINE_COMMENT.sub("", document.source.text)))
    broken = bare.error or bare.comments or bare.trailing_commas()
    if broken or len(bare.tokens) != len(document.scan.tokens):
        path = next(_with_slashes(document.value), ())
        yield Problem(path, "Cursor takes `//` and `/*` for comments, even inside a string")


def _with_slashes(value: Any) -> Iterator[KeyPath]:
    """Texts that hold what looks like a comment."""
    pending: list[tuple[KeyPath, Any]] = [((), value)]
    while pending:
        path, found = pending.pop()
        if isinstance(found, str) and ("//" in found or "/*" in found):
            yield path
        elif len(path) > DEEPEST:
            continue
        elif isinstance(found, dict):
            pending += reversed([((*path, key), item) for key, item in found.items()])
        elif isinstance(found, list):
            pending += reversed([((*path, index), item) for index, item in enumerate(found)])


def _version(settings: dict[str, Any]) -> Iterator[Problem]:
    if "version" not in settings:
        yield Problem((), 'it has no `"version": 1`')
    elif not _is_count(settings["version"]):
        yield Problem(("version",), "it must be a whole number above 0")


def _event(event: str, entries: Any) -> Iterator[Problem]:
    path: KeyPath = ("hooks", event)
    if event not in EVENTS:
        meant = event[:1].lower() + event[1:]
        hint = f"; it spells it `{meant}`" if meant in EVENTS else ""
        yield Problem(path, f"Cursor knows no event of this name{hint}")
    elif not isinstance(entries, list):
        yield Problem(path, "it must be a list")
    else:
        for index, entry in enumerate(entries):
            yield from entry_faults(entry, (*path, index))


def entry_faults(entry: Any, path: KeyPath) -> Iterator[Problem]:
    """What Cursor finds wrong with one hook."""
    if not isinstance(entry, dict):
        yield Problem(path, "a hook must be an object")
        return
    if isinstance(entry.get("hooks"), list) and "command" not in entry:
        yield Problem(
            path, "groups with `hooks` are Claude Code's; here the command stands in the list"
        )
        return
    kind = entry.get("type", "command")
    if kind == "command" and not isinstance(entry.get("command"), str):
        yield Problem(path, "a hook needs a `command`")
    elif kind == "prompt" and not _is_text(entry.get("prompt")):
        yield Problem(path, "a prompt hook needs a `prompt`")
    elif kind not in ("command", "prompt"):
        yield Problem((*path, "type"), "it must be `command` or `prompt`")
    if kind == "prompt" and not _is_text(entry.get("model", "x")):
        yield Problem((*path, "model"), "it must be a text")
    yield from _options(entry, path)


def _options(entry: dict[str, Any], path: KeyPath) -> Iterator[Problem]:
    if "matcher" in entry and not _is_pattern(entry["matcher"]):
        yield Problem((*path, "matcher"), "it must be a regular expression")
    if "timeout" in entry and not _is_positive(entry["timeout"]):
        yield Problem((*path, "timeout"), "it must be a number of seconds above 0")
    if entry.get("loop_limit") is not None and not _is_count(entry["loop_limit"]):
        yield Problem((*path, "loop_limit"), "it must be a whole number above 0, or null")
    if not isinstance(entry.get("failClosed", False), bool):
        yield Problem((*path, "failClosed"), "it must be true or false")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_positive(value: Any) -> bool:
    known = isinstance(value, int | float | Number) and not isinstance(value, bool)
    return known and float(value) > 0


def _is_count(value: Any) -> bool:
    return _is_positive(value) and float(value).is_integer()


def _is_pattern(value: Any) -> bool:
    """Sure faults only: JavaScript's expressions are not quite Python's."""
    if not isinstance(value, str):
        return False
    try:
        re.compile("" if value == "*" else NAMED_GROUP.sub("(?P<", value))
    except re.error as error:
        return not error.msg.startswith(BROKEN_PATTERN)
    return True
