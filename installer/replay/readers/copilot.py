"""Copilot CLI: `session-state/<session>/events.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ....guard.call import EDIT, OTHER, SHELL, SPAWN, WEB
from ....guard.usage import Usage
from ..events import (
    CallMade,
    Event,
    Outcome,
    Prompt,
    Response,
    ResultSeen,
    Session,
    Stream,
    result,
)
from .lines import Record, count, members, objects, records, seconds

KINDS = {
    "bash": SHELL,
    "powershell": SHELL,
    "task": SPAWN,
    "web_fetch": WEB,
    "web_search": WEB,
    "edit": EDIT,
    "create": EDIT,
    "apply_patch": EDIT,
}
EXIT = re.compile(r"exit(?:ed with)? code:? (-?\d+)>?\s*$")  # older logs have the text only
NEUTRAL = ("denied", "rejected", "cancelled", "aborted", "interrupted")


def detect(head: str) -> bool:
    return head.startswith('{"type":"session.start"') and '"sessionId":' in head


def sessions(path: Path) -> Iterator[Session]:
    data = members(next(records(path), {}).get("data"))
    id, cwd = str(data.get("sessionId", path.parent.name)), members(data.get("context")).get("cwd")
    yield Session("copilot", id, "", Stream(lambda: _events(path, str(cwd or ""))))


def _events(path: Path, cwd: str) -> Iterator[Event]:
    rounds: dict[str, str] = {}
    for record in records(path):
        data = members(record.get("data"))
        time = seconds(record.get("timestamp"))
        match record.get("type"):
            case "user.message":
                human = data.get("source", "user") == "user"
                yield Prompt(time, human, str(record.get("id", "")))
            case "assistant.message":
                message = str(data.get("messageId", ""))
                requests = objects(data.get("toolRequests"))
                rounds = {str(request.get("toolCallId")): message for request in requests}
            case "tool.execution_start":
                yield _call(data, time, cwd, rounds)
            case "tool.execution_complete":
                yield _result(data, time)
            case "session.usage_record":
                yield _usage(members(data.get("usage")), time)


def _call(data: Record, time: float, cwd: str, rounds: dict[str, str]) -> CallMade:
    tool, id = str(data.get("toolName", "")), str(data.get("toolCallId", ""))
    return CallMade(
        time,
        id,
        tool,
        KINDS.get(tool, OTHER),
        data.get("arguments"),
        cwd,
        rounds.get(id, ""),
        str(data.get("parentToolCallId") or ""),
    )


def _result(data: Record, time: float) -> ResultSeen:
    text = members(data.get("result")).get("content") or members(data.get("error")).get("message")
    text = str(text or "")
    return result(time, str(data.get("toolCallId", "")), _outcome(data, text), text)


def _outcome(data: Record, text: str) -> Outcome:
    """A shell command that exits with 3 is a success with an exit code."""
    if not data.get("success"):
        code = str(members(data.get("error")).get("code", ""))
        return "neutral" if code in NEUTRAL else "failed"
    shell = members(data.get("shellExecution"))
    found = EXIT.search(text[-80:])
    return "failed" if shell.get("exitCode") or (found and int(found[1])) else "ok"


def _usage(used: Record, time: float) -> Response:
    read, written = count(used.get("cacheReadTokens")), count(used.get("cacheWriteTokens"))
    fresh = max(count(used.get("inputTokens")) - read - written, 0)
    usage = Usage(fresh, count(used.get("outputTokens")), read, written)
    id = str(used.get("apiCallId") or members(used.get("accounting")).get("sequence", ""))
    return Response(time, id, str(used.get("model", "")), usage)
