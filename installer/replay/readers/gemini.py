"""Gemini CLI: `tmp/<project>/chats/session-*`, a log of JSON lines, in older versions one document.

A message may be written twice with the same id, first without its calls: the calls and the usage
count once, the newest wins. Tools have no hook id; the log's own id stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....guard.call import EDIT, OTHER, SHELL, WEB
from ....guard.usage import Usage
from ..events import (
    CallMade,
    Event,
    Outcome,
    Prompt,
    Response,
    Session,
    Stream,
    result,
)
from .lines import (
    Record,
    count,
    members,
    objects,
    parsed,
    records,
    seconds,
    text_of,
)

KINDS = {
    "run_shell_command": SHELL,
    "web_fetch": WEB,
    "google_web_search": WEB,
    "replace": EDIT,
    "write_file": EDIT,
}
EXIT = re.compile(r"[Ee]xit(?:ed with)? code:? (-?\d+)", re.IGNORECASE)
BLOCKED = "Tool execution blocked: "
# What the harness itself writes as the user; results of tools stand there too, without any text.
HARNESS_TEXTS = ("<session_context>", "System: Potential loop detected", "Please continue.")


def detect(head: str) -> bool:
    return '"sessionId":' in head[:512] and '"projectHash":' in head[:1024]


def sessions(path: Path) -> Iterator[Session]:
    """Subagents lie in a folder that is named after the parent session."""
    first = next(_records(path), {})
    id = str(first.get("sessionId", path.stem))
    subagent = first.get("kind") == "subagent"
    root = path.parent.name if subagent else id
    yield Session("gemini", root, id if subagent else "", Stream(lambda: _events(path)))


def _records(path: Path) -> Iterator[Record]:
    """An old session is one document, often on many lines; then no line parses."""
    whole = parsed(path.read_bytes())
    return iter([whole]) if isinstance(whole, dict) else records(path)


def _events(path: Path) -> Iterator[Event]:
    seen: set[str] = set()
    for record in _records(path):
        replaced = objects(members(record.get("$set")).get("messages"))
        for message in (record, *objects(record.get("messages")), *replaced):
            yield from _message(message, seen)


def _message(message: Record, seen: set[str]) -> Iterator[Event]:
    id, time = str(message.get("id", "")), seconds(message.get("timestamp"))
    if message.get("type") == "user" and id not in seen:
        seen.add(id)
        said = text_of(message.get("content")).lstrip()
        if said and not said.startswith(HARNESS_TEXTS):
            yield Prompt(time, True, id)
    elif message.get("type") == "gemini":
        if message.get("tokens"):
            yield _usage(message, time, id)
        for call in objects(message.get("toolCalls")):
            name = f"{id} {call.get('id', '')}"
            if name not in seen:
                seen.add(name)
                yield from _call(call, time, name, id)


def _call(call: Record, time: float, id: str, round_: str) -> Iterator[Event]:
    tool = str(call.get("name", ""))
    ended = seconds(call.get("timestamp")) or time
    yield CallMade(time, id, tool, KINDS.get(tool, OTHER), call.get("args"), "", round_)
    text = _output(call)
    yield result(ended, id, _outcome(call, text), text)


def _output(call: Record) -> str:
    parts = []
    for part in objects(call.get("result")):
        response = members(members(part.get("functionResponse")).get("response"))
        parts.append(str(response.get("output") or response.get("error") or ""))
    return "\n".join(parts) or text_of(call.get("resultDisplay"))


def _outcome(call: Record, text: str) -> Outcome:
    """A shell command that exits with 3 has the status success; only the text tells."""
    if call.get("status") == "cancelled" or text.startswith(BLOCKED):
        return "neutral"
    if call.get("status") == "error":
        return "failed"
    found = EXIT.search(text) if call.get("name") == "run_shell_command" else None
    return "failed" if found and int(found[1]) else "ok"


def _usage(message: dict[str, Any], time: float, id: str) -> Response:
    used = members(message.get("tokens"))
    cached = count(used.get("cached"))
    usage = Usage(
        max(count(used.get("input")) - cached, 0) + count(used.get("tool")),
        count(used.get("output")) + count(used.get("thoughts")),
        cached,
    )
    return Response(time, id, str(message.get("model", "")), usage)
