"""The guard as the hook of a session whose log grows beside it, and the same log replayed."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from runaway.guard.call import LEVELS, NO_OPINION, NOTHING, STOP, Verdict
from runaway.guard.hook import reply
from runaway.guard.policy import Policy
from runaway.guard.spending import reader_of
from runaway.guard.transcripts import CALL, KIND, RESULT
from runaway.guard.transcripts.records import seconds
from runaway.installer.replay.days import Days
from runaway.installer.replay.engine import Run, Seen
from runaway.installer.replay.events import CallMade
from runaway.installer.replay.families import Family, families, merged
from runaway.installer.replay.memory import Memory

PROJECT = "/home/u/project"
# As (call, rule, count, level): what each call was answered, if anything.
Judged = list[tuple[str, str, float, str]]


def policy(folder: Path) -> Policy:
    """So strict that short sessions trip too; nothing is denied, as in the past."""
    limits = {
        "loop.same_result": (2, 3, 4, 5),
        "loop.same_call": (3, 4, 6, 9),
        "failure.rounds": (1, 2, 4, 6),
        "storm.subagents_per_prompt": (1, 2, 4, 6),
        "storm.web_calls_per_prompt": (1, 2, 4, 6),
        "spend.prompt": (0.0001, 0.01, 1, None),
    }
    return Policy({"observe": True, "session_cap": 0.02, "limits": limits}, str(folder))


class Line(NamedTuple):
    """A line of a log, by its time; files of subagents come before that of the main agent."""

    time: float
    order: tuple[int, int]
    path: Path
    agent: str
    data: bytes


class Live:
    """One session: its lines are written one by one, and each call is put to the guard."""

    def __init__(self, harness: str, session: str, transcript: Path, policy: Policy) -> None:
        self.harness, self.session, self.transcript = harness, session, transcript
        self.policy = policy
        self.reader: ModuleType = reader_of(harness)
        self.memories: dict[Path, dict[str, Any]] = {}
        self.judged: Judged = []
        self.asked = 0

    def grow(self, line: Line) -> None:
        """A log that tells of calls when they have ended grows after the hook, the others before."""
        memory = self.memories.setdefault(line.path, {})
        events = [
            (memory.get("agent", line.agent), event)
            for event in self.reader.events((line.data,), memory)
        ]
        calls = [(agent, event) for agent, event in events if event[KIND] == CALL]
        late = any(event[KIND] == RESULT for _, event in events)
        if not late:
            self._write(line)
        self._speak(line)
        for agent, event in calls:
            self._ask(agent, event)
        if late:
            self._write(line)

    def _write(self, line: Line) -> None:
        line.path.parent.mkdir(parents=True, exist_ok=True)
        with line.path.open("ab") as file:
            file.write(line.data)

    def _speak(self, line: Line) -> None:
        """Where prompts are not read in the log, an event tells of them."""
        if self.harness not in ("gemini", "qwen") or line.agent:
            return
        record = json.loads(line.data)
        parts = record.get("content") or record.get("message", {}).get("parts")
        if record.get("type") == "user" and any(part.get("text") for part in parts):
            event = "BeforeAgent" if self.harness == "gemini" else "UserPromptSubmit"
            self._reply({"hook_event_name": event, "prompt": "go"}, line.time)

    def _ask(self, agent: str, event: tuple[Any, ...]) -> None:
        _, time, call, tool, arguments, _, cwd = event
        self.asked += 1
        about: dict[str, Any] = {
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": arguments,
        }
        if self.harness == "antigravity":
            about = {"toolCall": {"name": tool, "args": arguments}, "stepIdx": int(call)}
        told = [json.loads(trip) for trip in self._reply(
            {**about, "cwd": cwd or PROJECT, **self._identity(agent, call)}, time
        )]  # fmt: skip
        self.judged += [(call, trip["rule"], trip["count"], trip["level"]) for trip in told]

    def _identity(self, agent: str, call: str) -> dict[str, Any]:
        """Who calls, and the name of the call, as far as the harness tells its hooks."""
        if self.harness == "copilot" and agent:
            return {"session_id": agent, "agent_id": agent, "parent_agent_id": self.session}
        names = {"claude": "tool_use_id", "codex": "tool_use_id", "qwen": "tool_call_id"}
        names["grok"] = names["vscode"] = "tool_use_id"
        if self.harness not in names:
            return {}
        return {names[self.harness]: call, **({"agent_id": agent} if agent else {})}

    def _reply(self, payload: dict[str, Any], time: float) -> list[str]:
        """The lines that the guard adds to its log of trips."""
        common = {
            "session_id": self.session,
            "cwd": PROJECT,
            "permission_mode": "default",
            "timestamp": f"{time}.{self.asked}",
        }
        if self.harness == "antigravity":
            log = {"transcriptPath": str(self.transcript), "workspacePaths": [PROJECT]}
            payload = {**payload, **log, "conversationId": self.session}
        elif self.harness != "copilot":
            common["transcript_path"] = str(self.transcript)
        trips = Path(self.policy.state, "trips.jsonl")
        before = len(trips.read_text().splitlines()) if trips.exists() else 0
        reply(self.harness, json.dumps({**common, **payload}).encode(), self.policy, time)
        return trips.read_text().splitlines()[before:] if trips.exists() else []


def lived(family: Family, source: Path, copy: Path, policy: Policy) -> Live:
    """The session of these logs again, line by line, in a folder of its own."""
    home = copy / "session-state" / family.id if family.harness == "copilot" else copy
    files = {
        member.agent: path
        for member, path in zip(family.members, _paths(family, source), strict=True)
    }
    live = Live(family.harness, family.id, home / files[""].relative_to(source), policy)
    streams = [
        _lines(number, path, home / path.relative_to(source), agent)
        for number, (agent, path) in enumerate(files.items())
    ]
    for line in heapq.merge(*streams, key=lambda line: line[:2]):
        live.grow(line)
    return live


def _paths(family: Family, source: Path) -> list[Path]:
    """The file of each member."""
    of = {}
    for path in sorted(source.rglob("*.jsonl")):
        [found], _ = families([path])
        of[found.harness, found.id, found.members[0].agent] = path
    return [of[member[:3]] for member in family.members]


def _lines(number: int, path: Path, copy: Path, agent: str) -> Iterator[Line]:
    latest = 0.0
    for index, data in enumerate(path.read_bytes().splitlines()):
        latest = max(latest, seconds(json.loads(data).get("timestamp")))
        yield Line(latest, (number, index), copy, agent, data + b"\n")


class Recorder(Memory):
    """Remembers what every call was answered."""

    judged: Judged

    def call(self, agent: str, event: CallMade) -> tuple[tuple[Verdict, int], ...]:
        told = super().call(agent, event)
        verdict, level = max(told, key=_reached, default=(NO_OPINION, NOTHING))
        if level > NOTHING:
            self.judged.append((event.id, verdict.rule, verdict.count, LEVELS[level]))
        return told


def _reached(judged: tuple[Verdict, int]) -> int:
    """A stop counts for more than the denial that it is where no hook can end a turn."""
    verdict, level = judged
    return STOP if verdict.level == STOP else level


def replayed(family: Family, policy: Policy) -> Judged:
    memory = Recorder(family.harness, family.id, policy, Days())
    memory.judged = []
    run = Run(family, Seen(), memory)
    for agent, event in merged(family):
        run.feed(agent, event)
    return memory.judged


def compared(source: Path, scratch: Path) -> Iterator[tuple[Judged, Judged, int]]:
    """(what the guard said of each session in this folder, what replay says, calls)."""
    found, _ = families(sorted(source.rglob("*.jsonl")))
    for number, family in enumerate(found):
        folder = scratch / str(number)
        live = lived(family, source, scratch, policy(folder / "live"))
        yield live.judged, replayed(family, policy(folder / "replayed")), live.asked
