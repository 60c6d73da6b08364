"""Find the rollouts of one Codex session among all others in the day folders.

A subagent's rollout may lie in the folder of a later day, and nothing but its first line tells whose
it is. Names of rollouts sort by time of creation, so each is looked at once: `logs["looked"]` is
the last one, and `logs["members"]` holds those that belong to the session.
"""

from __future__ import annotations

import time

from .folders import entries
from .records import mapping, parse, text
from .tail import first_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state import Json, LogState

THREAD = slice(-42, -6)  # of a rollout's name: what stands before `.jsonl`
DAY = slice(0, 10)  # of `2026/11/30/rollout-...`
MAX_FIRST_LINE_BYTES = 1 << 18  # it holds the instructions, 20 kB and more
LOOKED_AT = 64  # rollouts and
DAYS = 8  # folders per call; the rest comes with the next ones
MAX_FILES = 48  # rollouts: a session may have six agents at work
MOMENT = 60.0  # seconds within which the first line of a new file is waited for


def files(transcript: str, session: str, logs: LogState) -> list[tuple[str, str]]:
    """Return (agent, path): the subagents', then the main agent's, whichever of them called the hook."""
    parts = transcript.replace("\\", "/").rsplit("/", 4)
    if len(parts) < 5 or not "".join(parts[1:4]).isdecimal():  # an archived session, or none at all
        return [("", transcript)] if transcript else []
    root, name = parts[0], "/".join(parts[1:])
    members = logs.setdefault("members", [])
    if name not in members:
        members.append(name)
    _look(root, session, logs, members)
    found = [
        ("" if session == name[THREAD] else name[THREAD], f"{root}/{name}") for name in members
    ]
    return sorted(found, key=lambda pair: (pair[0] == "", pair))


def _look(root: str, session: str, logs: LogState, members: list[str]) -> None:
    own = [name for name in members if name[THREAD] == session]
    looked = logs.get("looked") or (own[0] if own else _born(session))
    for name in _names(root, looked):
        belongs = name in members or _belongs(f"{root}/{name}", session, members)
        if belongs is None:
            break
        if belongs and name not in members and len(members) < MAX_FILES:
            members.append(name)
        looked = name
    logs["looked"] = looked


def _born(session: str) -> str:
    """Return a name before all of the session's: its id begins with the milliseconds of its creation."""
    try:
        seconds = int(session[:8] + session[9:13], 16) / 1000 - 86400  # in whatever time zone
        return time.strftime("%Y/%m/%d/", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        return "9999"


def _names(root: str, looked: str) -> Iterator[str]:
    """Yield names like `2026/11/30/rollout-...jsonl` that come after `looked`, oldest first."""
    names = 0
    for day in _days(root, looked[DAY]):
        for name in sorted(_listed(f"{root}/{day}")):
            if not name.startswith("rollout-") or not name.endswith(".jsonl"):
                continue
            if f"{day}/{name}" > looked and names < LOOKED_AT:
                names += 1
                yield f"{day}/{name}"


def _days(root: str, first: str) -> list[str]:
    """Return the first DAYS folders from this day on."""
    days: list[str] = []
    for year in sorted(_listed(root)):
        if year < first[:4] or len(days) >= DAYS:
            continue
        for month in sorted(_listed(f"{root}/{year}")):
            if len(days) < DAYS and f"{year}/{month}" >= first[:7]:
                listed = [f"{year}/{month}/{day}" for day in _listed(f"{root}/{year}/{month}")]
                days += [day for day in sorted(listed) if day >= first]
    return days[:DAYS]


def _listed(folder: str) -> list[str]:
    return [entry.name for entry in entries(folder)]


def owner(record: Json, path: str) -> tuple[str, str] | None:
    """(session, agent) of a rollout; a fork holds copies of other first lines behind its own."""
    meta = mapping(record.get("payload"))
    if record.get("type") != "session_meta":
        return None
    thread, source = text(meta.get("id")) or path[THREAD], mapping(meta.get("source"))
    spawned = "subagent" in source or meta.get("thread_source") == "subagent"
    root = text(meta.get("session_id")) or (text(_parent(meta)) if spawned else "") or thread
    return root, thread if spawned else ""


def _parent(meta: Json) -> object:
    """The thread that has spawned this one; before 0.150 only its source tells."""
    spawn = mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
    return meta.get("parent_thread_id") or spawn.get("parent_thread_id")


def _belongs(path: str, session: str, members: list[str]) -> bool | None:
    """Tell whether a rollout belongs to the session; None while its first line is still to come."""
    line, changed = first_line(path, MAX_FIRST_LINE_BYTES)
    if not line:
        return None if time.time() - changed < MOMENT else False
    meta = mapping(parse(line).get("payload"))
    if session in (meta.get("session_id"), meta.get("id")):
        return True
    return _parent(meta) in [name[THREAD] for name in members]
