"""Read all that is new in all files of a session: of the main agent and of its subagents.

What is remembered, `logs["files"]`, is one cursor per agent. A storm of agents would not fit into
the state of a session, so beyond KEPT files the longest quiet ones are forgotten. From a file that is
not remembered nothing is taken that is much older than `logs["until"]`, when everything had been read:
it was counted then, in this file or in the one it was copied from.
"""

from __future__ import annotations

from time import monotonic

from ..system import stat
from . import RESET, TIME, accounts
from .records import dated
from .tail import new_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import ModuleType
    from typing import Final

    from ..state import Cursor, Event, FileState, LogState, ReaderState
    from .accounts import Price

    AgentEvent = tuple[str, Event]

MAX_CALL_BYTES = 1 << 26  # bytes; the rest comes with the next calls
MAX_CALL_SECONDS = 1.0  # seconds, after which no further piece is read; a harness waits ten
KEPT = 24  # cursors
TOLD_WHOLE = 1 << 20  # bytes; of more at once only prompts and money count, but for these last
COARSE = 2.0  # seconds by which a file's time may be behind the clock
LAG = 600.0  # seconds that a record may be older than its writing: a response may stream that long
READ: Final = 3  # behind the cursor of a remembered file: Unix seconds when it was read,
MEMORY: Final = 4  # and the reader's memory


class Budget:
    """What one call of the guard may still read; the next call goes on from there."""

    __slots__ = ("bytes", "deadline")

    def __init__(self, bytes: int, deadline: float) -> None:
        self.bytes = bytes
        self.deadline = deadline

    def is_left(self) -> bool:
        return self.bytes > 0 and monotonic() < self.deadline


def catch_up(
    reader: ModuleType, transcript: str, session: str, logs: LogState, now: float, price: Price
) -> Iterator[tuple[str, Event, float]]:
    """Yield (agent, event, dollars by which it raises `accounts.total(logs["account"])`).

    Must be used up: what it has read is remembered in `logs` at its end, and `logs["behind"]` is
    True while there is more than one call reads. `price(model, usage, when)` gives dollars.
    """
    account = logs.setdefault("account", {})
    accounts.load(account)
    budget = Budget(MAX_CALL_BYTES, monotonic() + MAX_CALL_SECONDS)
    for agent, event in _follow(reader, transcript, session, logs, now, budget):
        yield agent, event, accounts.add(account, event, price)
    accounts.dump(account)


def _follow(
    reader: ModuleType, transcript: str, session: str, logs: LogState, now: float, budget: Budget
) -> Iterator[AgentEvent]:
    logs.setdefault("files", {})
    whole = True
    for agent, path in reader.files(transcript, session, logs):
        if agent not in logs["files"] and _old(path, logs):
            continue
        to_its_end = yield from _file(reader, agent, path, logs, now, budget)
        if to_its_end is None:
            logs["files"] = {}
            yield "", (RESET, logs.pop("until", LAG) - LAG)
            yield from _follow(reader, transcript, session, logs, now, budget)
            return
        whole = whole and to_its_end
    if hasattr(reader, "sidecar_events"):
        for event in reader.sidecar_events(transcript, now, logs):
            yield "", event
    logs["behind"] = not whole
    if whole:
        logs["until"] = round(now, 1)
    _forget(logs["files"])


def _old(path: str, logs: LogState) -> bool:
    """Tell whether nothing was written to this file since everything had been read."""
    try:
        return bool(stat(path).st_mtime < logs.get("until", 0.0) - COARSE)
    except (OSError, ValueError):
        return True


def _file(
    reader: ModuleType, agent: str, path: str, logs: LogState, now: float, budget: Budget
) -> Generator[AgentEvent, None, bool | None]:
    """Yield what is new in a file; return whether it is read to its end.

    None where the file is not the one that was read before, so that everything must come again.
    """
    known = logs["files"].get(agent)
    cursor: Cursor = (known[0], known[1], known[2]) if known else ()
    own: ReaderState = known[MEMORY] if known else {}
    counted = 0.0 if known else logs.get("until", LAG) - LAG
    while budget.is_left():
        news = new_lines(path, cursor, known[READ] if known else 0.0)
        if news.rewritten:
            return None
        if news.cursor == cursor and known and not agent:
            logs["files"][agent] = (
                known[0],
                known[1],
                known[2],
                round(now, 3),
                own,
            )  # looked at again
        if news.cursor != cursor:
            for undated in reader.events(news.lines, own, usage_only=news.left > TOLD_WHOLE):
                event = dated(undated, now)
                if event[TIME] >= counted:
                    yield own.get("agent", agent), event
            budget.bytes -= _offset(news.cursor) - _offset(cursor)
            cursor = news.cursor
            logs["files"][agent] = (*news.cursor, round(now, 3), own)
        if not news.left:
            return True
    return False


def _offset(cursor: Cursor) -> int:
    return cursor[0] if cursor else 0


def _forget(files: dict[str, FileState]) -> None:
    for agent in sorted(files, key=lambda agent: files[agent][READ])[:-KEPT]:
        if agent:
            del files[agent]
