"""How a harness is told no: the three kinds of denial, of which each harness takes one."""

from __future__ import annotations

import json
from collections.abc import Callable

IsDenial = Callable[[bytes], bool]


def by_value(*path: str, wanted: tuple[str, ...] = ("deny",)) -> IsDenial:
    """`deny`, or what else is `wanted`, stands at this place of the answer: `decision`, say."""

    def is_denial(answer: bytes) -> bool:
        try:
            value = json.loads(answer)
            for key in path:
                value = value[key]
        except (ValueError, KeyError, TypeError, RecursionError):
            return False
        return value in wanted

    return is_denial


def by_key(key: str) -> IsDenial:
    """The answer has this key, whatever its reason says."""

    def is_denial(answer: bytes) -> bool:
        try:
            value = json.loads(answer)
        except (ValueError, RecursionError):
            return False
        return isinstance(value, dict) and key in value

    return is_denial


HOOK_OUTPUT = ("hookSpecificOutput", "permissionDecision")
by_hook_output = by_value(*HOOK_OUTPUT)  # as Claude Code has it
