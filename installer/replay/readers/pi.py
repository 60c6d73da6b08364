"""Pi: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`; every response carries its cost.

Its entries are those that its extension tells the guard, whose dialect reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from ....guard.call import OTHER
from ....guard.dialects.pi import TOOL_KINDS, events
from ....guard.transcripts import CALL, KIND, RESULT
from ..events import CallMade, Event, Outcome, Prompt, Response, ResultSeen, Session, Stream
from .lines import Record, members, records, seconds


def is_first(record: Record) -> bool:
    return record.get("type") == "session"


def session(path: Path, first: Record) -> Session:
    id, cwd = str(first.get("id", path.stem)), str(first.get("cwd", ""))
    return Session("pi", id, "", Stream(partial(_events, path, cwd)))


def _events(path: Path, cwd: str) -> Iterator[Event]:
    round = ""
    for record in records(path):
        role, id = members(record.get("message")).get("role"), str(record.get("id", ""))
        time = seconds(record.get("timestamp"))
        if role == "user":
            yield Prompt(time, True, id)
        elif role == "assistant":
            round = id
        for event in events(record, round, time):
            yield _event(event, cwd)


def _event(event: tuple[object, ...], cwd: str) -> Event:
    told: tuple[Any, ...] = event[1:]
    if event[KIND] == CALL:
        time, id, tool, arguments, round, _ = told
        return CallMade(time, id, tool, TOOL_KINDS.get(tool, OTHER), arguments, cwd, round)
    if event[KIND] == RESULT:
        time, id, outcome, digest, round, _ = told
        return ResultSeen(time, id, cast(Outcome, outcome), digest, round)
    return Response(*told)
