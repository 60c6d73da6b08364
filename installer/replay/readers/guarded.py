"""Events of the guard's own transcript readers as events of a replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....guard.call import OTHER
from ....guard.transcripts import CALL, PROMPT, RESULT, USAGE
from ..events import CallMade, Event, Prompt, Response, ResultSeen


def told(
    events: Iterable[tuple[Any, ...]], kinds: Mapping[str, str], agent: str = ""
) -> Iterator[Event]:
    """`kinds` tells which tools are shells, edits and so on; `agent` a subagent inside the file."""
    for event in events:
        match event:
            case (int(kind), time, id, model, usage, _) if kind == USAGE:
                yield Response(time, id, model, usage)
            case (int(kind), time, id, human) if kind == PROMPT:
                yield Prompt(time, human, id)
            case (int(kind), time, id, tool, arguments, round, cwd) if kind == CALL:
                yield CallMade(time, id, tool, kinds.get(tool, OTHER), arguments, cwd, round, agent)
            case (int(kind), time, id, outcome, digest, _, _) if kind == RESULT:
                yield ResultSeen(time, id, outcome, digest)
