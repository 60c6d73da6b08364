"""Pi: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`; every response carries its cost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ....guard.call import OTHER
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
from ..words import NoHook
from .lines import (
    Record,
    count,
    members,
    money,
    objects,
    records,
    seconds,
    text_of,
)

NEUTRAL = ("Operation aborted", "Command aborted", "Skipped due to queued user message")


def is_first(record: Record) -> bool:
    return record.get("type") == "session"


def session(path: Path, first: Record) -> Session:
    id, cwd = str(first.get("id", path.stem)), str(first.get("cwd", ""))
    return Session("pi", id, "", Stream(partial(_events, path, cwd)))


def _events(path: Path, cwd: str) -> Iterator[Event]:
    round = ""
    for record in records(path):
        message = members(record.get("message"))
        time = seconds(record.get("timestamp"))
        id = str(record.get("id", ""))
        match message.get("role"):
            case "user":
                yield Prompt(time, True, id)
            case "assistant":
                round = id
                yield _usage(message, time, id)
                yield from _calls(message, time, id, cwd)
            case "toolResult":
                text = text_of(message.get("content"))
                call = str(message.get("toolCallId", ""))
                yield result(time, call, _outcome(message, text), text, round)


def _calls(message: Record, time: float, id: str, cwd: str) -> Iterator[CallMade]:
    for block in objects(message.get("content")):
        if block.get("type") == "toolCall":
            tool = str(block.get("name", ""))
            kind = NoHook.TOOL_KINDS.get(tool, OTHER)
            yield CallMade(
                time, str(block.get("id", "")), tool, kind, block.get("arguments"), cwd, id
            )


def _outcome(message: Record, text: str) -> Outcome:
    if not message.get("isError"):
        return "ok"
    return "neutral" if text.rstrip().endswith(NEUTRAL) else "failed"


def _usage(message: Record, time: float, id: str) -> Response:
    used = members(message.get("usage"))
    usage = Usage(
        count(used.get("input")),
        count(used.get("output")),
        count(used.get("cacheRead")),
        count(used.get("cacheWrite")),
        dollars=money(members(used.get("cost")).get("total")),
    )
    response = str(message.get("responseId") or id)
    return Response(time, response, str(message.get("model", "")), usage)
