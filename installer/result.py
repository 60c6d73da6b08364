"""What a command found or did, as one value; shown as text or as the versioned JSON object."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from . import colour

SCHEMA = "runaway/1"
Level = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Message:
    """One sentence for a person, with a stable code for programs."""

    level: Level
    code: str
    text: str
    harness: str | None = None
    path: str | None = None
    fix: str | None = None


@dataclass(frozen=True)
class Result:
    """`status` is one word (`ok`, `changes`, `failed` ...); `lines` is what a person reads on stdout.

    `paint` colours a line where the terminal shows colour. `exact`: the lines are for programs too
    (a diff for `patch`), so that a file or a pipe gets every byte as it is.
    """

    command: str
    status: str
    exit_code: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    lines: tuple[str, ...] = ()
    paint: Callable[[str], str] = colour.plain
    exact: bool = False


def as_json(result: Result) -> str:
    """Exactly one object; its shape is docs/result.schema.json. JSON has no NaN and no infinity."""
    messages = [
        {
            "level": message.level,
            "code": message.code,
            "harness": message.harness,
            "path": message.path,
            "text": message.text,
            "fix": message.fix,
        }
        for message in result.messages
    ]
    envelope = {
        "schema": SCHEMA,
        "command": result.command,
        "status": result.status,
        "exit_code": result.exit_code,
        "data": _finite(result.data),
        "messages": messages,
    }
    return json.dumps(envelope, indent=2, ensure_ascii=True, allow_nan=False)


def _finite(value: Any) -> Any:
    """The same value with null for every number that is none."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
