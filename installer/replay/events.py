"""What happened in a past session, in one vocabulary for every harness: plain frozen values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from ...guard.call import OTHER
from ...guard.transcripts.digests import result_digest
from ...guard.usage import Usage

Outcome = Literal["ok", "failed", "refused", "neutral"]


class Prompt(NamedTuple):
    """A new user message; `human` is False where a program wrote it (a task notice, say)."""

    time: float
    human: bool = True
    id: str = ""


class CallMade(NamedTuple):
    """A tool call that a pre-tool hook would have seen.

    `tool` and `arguments` are those of the hook's payload, `round` names the model message that
    holds the call ("" where the log does not tell) and `agent` the subagent inside this file.
    `announced`: the log tells of it before the hook is asked, so its response is paid for by then.
    """

    time: float
    id: str
    tool: str
    kind: str = OTHER
    arguments: Any = None
    cwd: str = ""
    round: str = ""
    agent: str = ""
    announced: bool = False


class ResultSeen(NamedTuple):
    """The end of a call; `digest` is equal for results that differ only in digits and the like.

    Neutral: rejected, interrupted, blocked; neither success nor failure. `round` and `agent` are
    those of its call, as far as the log tells them with the result.
    """

    time: float
    call_id: str
    outcome: Outcome
    digest: str = ""
    round: str = ""
    agent: str = ""


class Response(NamedTuple):
    """What a response of the model used; of several with the same id the largest counts.

    `inherited`: it stands in the log of a fork, and was paid for by the session forked off.
    """

    time: float
    id: str
    model: str
    usage: Usage
    inherited: bool = False


class Total(NamedTuple):
    """The harness's own total of the session so far, in dollars."""

    time: float
    dollars: float


Event: TypeAlias = Prompt | CallMade | ResultSeen | Response | Total


class Stream:
    """Events that are read anew each time they are gone through; no file is open in between."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Iterator[Event]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Event]:
        return self._read()


class Session(NamedTuple):
    """One agent's events; `id` is the root session, `agent` is "" for the main agent."""

    harness: str
    id: str
    agent: str
    events: Stream


def result(time: float, call_id: str, outcome: Outcome, text: str, round: str = "") -> ResultSeen:
    """A result of this text; only a digest of its masked head and tail is kept."""
    return ResultSeen(time, call_id, outcome, result_digest(outcome == "failed", text), round)
