"""What the tools of a harness are called and which of their arguments count: the guard's own dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from ...guard.call import EDIT, SHELL, drop_ignored
from ...guard.dialects import DIALECTS, dialect_of

IGNORED = ("description", "timeout", "timeout_ms")  # of a call that has a command


class Words(Protocol):
    """What replay needs of a dialect of the guard, or of a stand-in for one."""

    TOOL_KINDS: Mapping[str, str]
    UNSUPPORTED: frozenset[int]

    def identifying_arguments(self, tool: str, arguments: Any) -> Any:
        """The part of the arguments that changes what is done."""
        ...


class NoHook:
    """A program that the guard has no hook in, such as one whose log was converted."""

    TOOL_KINDS: Mapping[str, str] = {"bash": SHELL, "edit": EDIT, "write": EDIT}
    UNSUPPORTED: frozenset[int] = frozenset()

    def identifying_arguments(self, _tool: str, arguments: Any) -> Any:
        has_command = isinstance(arguments, dict) and "command" in arguments
        return drop_ignored(arguments, IGNORED) if has_command else arguments


def words_of(harness: str) -> Words:
    return cast(Words, dialect_of(harness)) if harness in DIALECTS else NoHook()
