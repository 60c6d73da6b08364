"""Calls and judgements for tests, without files: a session is a plain dict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runaway.guard.call import EDIT, OTHER, SHELL, SPAWN, WAIT, WEB, Call, Verdict
from runaway.guard.dialects import claude
from runaway.guard.evidence import apply_event
from runaway.guard.judge import judge
from runaway.guard.policy import Policy
from runaway.guard.transcripts import CALL, FAILED, NEUTRAL, OK, PROMPT, REFUSED, RESULT

if TYPE_CHECKING:
    from runaway.guard.state import Event

KINDS = {"Agent": SPAWN, "Bash": SHELL, "Edit": EDIT, "WebSearch": WEB, "TaskOutput": WAIT}


class Play:
    """One session, played call by call; time goes on by a second per call unless told otherwise."""

    def __init__(self, *, attended: bool = False, policy: dict[str, Any] | None = None) -> None:
        self.memory: Any = {}
        self.policy = Policy(policy or {}, "/nowhere")
        self.attended = attended
        self.now = 1000.0
        self.number = 0
        self.prompt_id = "p1"

    def call(
        self,
        what: str = "a",
        *,
        tool: str = "Bash",
        agent: str = "",
        gap: float = 1.0,
        id: str = "",
    ) -> int:
        """The level of the answer to one more call."""
        return self.verdict(what, tool=tool, agent=agent, gap=gap, id=id)[1]

    def verdict(
        self,
        what: str = "a",
        *,
        tool: str = "Bash",
        agent: str = "",
        gap: float = 1.0,
        id: str = "",
    ) -> tuple[Verdict, int]:
        self.number += 1
        self.now += gap
        call = Call(
            "claude",
            "s",
            event="PreToolUse",
            agent=agent,
            prompt=self.prompt_id,
            id=id or f"t{self.number}",
            tool=tool,
            kind=KINDS.get(tool, OTHER),
            arguments={"command": what},
            attended=self.attended,
        )
        verdict, level, _ = judge(call, self.memory, self.policy, self.now)
        return verdict, level

    def result(
        self,
        outcome: str = OK,
        what: str = "same",
        *,
        round: str = "",
        id: str = "",
        agent: str = "",
    ) -> None:
        """The result of the last call."""
        identity = id or f"t{self.number}"
        event: Event = (RESULT, self.now, identity, outcome, what, round or identity, False)
        apply_event(self.memory, agent, event, claude)

    def announce(self, what: str, id: str, *, tool: str = "Edit") -> None:
        """The model makes a call that no hook will see."""
        event: Event = (CALL, self.now, id, tool, {"command": what}, "r", "")
        apply_event(self.memory, "", event, claude)

    def prompt(self, id: str, *, human: bool = True) -> None:
        apply_event(self.memory, "", (PROMPT, self.now, id, human), claude)

    def ran(self, what: str = "a", outcome: str = OK, result: str = "same", **call: Any) -> int:
        """A call and its result."""
        level = self.call(what, **call)
        self.result(outcome if level < 3 else NEUTRAL, result, agent=call.get("agent", ""))
        return level


def levels(play: Play, count: int, what: str = "a", **call: Any) -> list[int]:
    return [play.call(what, **call) for _ in range(count)]


__all__ = ["FAILED", "NEUTRAL", "OK", "REFUSED", "Play", "levels"]
