"""All that is new in all files of a session: main agent, subagents, and what each left unread.

What is remembered, `memory["files"]`, is one cursor per agent. A storm of agents would not fit into
the state of a session, so beyond KEPT files the longest quiet ones are forgotten. From a file that is
not remembered nothing is taken that is much older than `memory["until"]`, when everything had been read:
it was counted then, in this file or in the one it was copied from.
"""

from __future__ import annotations

from ..system import stat
from . import RESET, TIME, accounts
from .tail import new_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import ModuleType
    from typing import Any

    from .accounts import Event, Price

    Memory = dict[str, Any]
    Told = tuple[str, Event]

LARGEST_CALL = 1 << 26  # bytes; the rest comes with the next calls
KEPT = 24  # cursors
TOLD_WHOLE = 1 << 20  # bytes; of more at once only prompts and money are told, but for these last
COARSE = 2.0  # seconds by which a file's time may be behind the clock
LAG = 600.0  # seconds that a record may be older than its writing: a response may stream that long
READ, MEMORY = 3, 4  # behind the cursor of a remembered file: when it was read, the reader's memory


def catch_up(
    reader: ModuleType, transcript: str, session: str, memory: Memory, now: float, price: Price
) -> Iterator[tuple[str, Event, float]]:
    """(agent, event, dollars by which it raises `accounts.total(memory["account"])`).

    Must be used up: what it has read is remembered in `memory` at its end, and `memory["behind"]` is
    True while there is more than one call reads. `price(model, usage, when)` gives dollars.
    """
    account = memory.setdefault("account", {})
    accounts.unpack(account)
    for agent, event in _follow(reader, transcript, session, memory, now):
        yield agent, event, accounts.add(account, event, price)
    accounts.pack(account)


def _follow(
    reader: ModuleType, transcript: str, session: str, memory: Memory, now: float
) -> Iterator[Told]:
    memory.setdefault("files", {})
    left, whole = LARGEST_CALL, True
    for agent, path in reader.files(transcript, session, memory):
        if agent not in memory["files"] and _old(path, memory):
            continue
        end = yield from _file(reader, agent, path, memory, now, left)
        if end is None:
            memory["files"] = {}
            memory.pop("until", None)
            memory.pop("sums", None)  # what was told beside the lines comes again too
            yield "", (RESET, now)
            yield from _follow(reader, transcript, session, memory, now)
            return
        left, whole = end[0], whole and end[1]
    if hasattr(reader, "beside"):
        for event in reader.beside(transcript, now, memory):
            yield "", event
    memory["behind"] = not whole
    if whole:
        memory["until"] = round(now, 1)
    _forget(memory["files"])


def _old(path: str, memory: Memory) -> bool:
    """Nothing was written to this file since everything had been read."""
    try:
        return bool(stat(path).st_mtime < memory.get("until", 0.0) - COARSE)
    except (OSError, ValueError):
        return True


def _file(
    reader: ModuleType, agent: str, path: str, memory: Memory, now: float, left: int
) -> Generator[Told, None, tuple[int, bool] | None]:
    """Returns how many bytes may still be read, and whether this file is read to its end.

    None where the file is not the one that was read before, so that everything must come again.
    """
    known = memory["files"].get(agent)
    cursor, own = (known[:READ], known[MEMORY]) if known else ([], {})
    counted = 0.0 if known else memory.get("until", LAG) - LAG
    while left > 0:
        news = new_lines(path, cursor)
        if news.rewritten:
            return None
        if news.cursor != cursor:
            for event in reader.events(news.lines, own, money_only=news.left > TOLD_WHOLE):
                if event[TIME] >= counted:
                    yield own.get("agent", agent), event
            left -= news.cursor[0] - (cursor[0] if cursor else 0)
            cursor = news.cursor
            memory["files"][agent] = [*cursor, int(now), own]
        if not news.left:
            return left, True
    return left, False


def _forget(files: Memory) -> None:
    for agent in sorted(files, key=lambda agent: files[agent][READ])[:-KEPT]:
        if agent:
            del files[agent]
