"""Logs of the harnesses that the guard reads itself: its readers' events as events of a replay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from ....guard.call import OTHER
from ....guard.dialects import dialect_of
from ....guard.spending import reader_of
from ....guard.transcripts import CALL, PROMPT, READERS, REPORTED_TOTAL, USAGE
from ..events import CallMade, Event, Prompt, Response, ResultSeen, Session, Stream, Total
from . import earlier
from .lines import Record
from .unhooked import completed

LATE = "exec-"  # begins the id of a call of a script in Codex, which is told when it has ended
ALL_LATE = ("gemini",)  # whose calls are all told so


def recognised(path: Path, record: Record) -> Session | None:
    """The agent whose log this file is; `record` is one of its first."""
    for harness in READERS:
        owner = reader_of(harness).owner(record, str(path.absolute()))
        if owner:
            session, agent = owner
            return Session(harness, session, agent, Stream(partial(_events, harness, path)))
    return None


def _events(harness: str, path: Path) -> Iterator[Event]:
    """Where one file holds all agents, `memory["agent"]` is the one whose event is being told."""
    kinds = dialect_of(harness).TOOL_KINDS
    for agent, memory, event in _told(harness, path):
        told = _event(event, kinds, memory.get("agent", agent))
        if harness in ALL_LATE and isinstance(told, CallMade):
            told = told._replace(announced=False)
        yield told


def _told(harness: str, path: Path) -> Iterator[tuple[str, Record, tuple[Any, ...]]]:
    reader, memories = reader_of(harness), dict[str, Record]()
    read = completed(harness, reader.events)
    for agent, lines in groupby(earlier.lines(harness, path), key=lambda pair: pair[0]):
        memory = memories.setdefault(agent, {})
        for event in read((line for _, line in lines), memory):
            yield agent, memory, event
    if hasattr(reader, "sidecar_events"):  # the sums of a whole session are told at its end
        end = memories.get("", {}).get("time", 0.0)
        for event in reader.sidecar_events(str(path), end, {}):
            yield "", {}, event


def _event(event: tuple[Any, ...], kinds: Mapping[str, str], agent: str) -> Event:
    kind, *told = event
    if kind == USAGE:
        return Response(*told)
    if kind == CALL:
        time, id, tool, arguments, round, cwd = told
        kind, announced = kinds.get(tool, OTHER), not id.startswith(LATE)
        return CallMade(time, id, tool, kind, arguments, cwd, round, agent, announced)
    if kind == PROMPT:
        time, id, human = told
        return Prompt(time, human, id)
    if kind == REPORTED_TOTAL:
        return Total(*told)
    time, id, outcome, digest, round, _ = told
    return ResultSeen(time, id, outcome, digest, round, agent)
