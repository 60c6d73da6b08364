"""The ledger: what all sessions of all harnesses have spent on a day, as running totals per session.

    <state>/ledger/2026-11-30.jsonl   {"harness":"claude","project":"/app","session":"…","total":1.23}
    …                                 {"harness":"claude","project":"/app","session":"…","noted":52.1}
    <state>/sums/2026-11-30.json      what these lines come to, as far as somebody has read them

The largest total of a session counts, so a line may come again, late or never, and no money counts
twice. Appending needs no lock; what a line adds belongs to the project that it names. The sums only
save work: lost, they are made again from the lines.

    sums = {"offset": bytes read, "inode": of the lines, "sessions": {session: dollars},
            "steps": {session: dollars}, "projects": {project: dollars},
            "noted": {project: dollars that it had spent when a note was last given}}

with digests for sessions and projects. `steps` are of lines that release 0.1 wrote, `"dollars"`
instead of `"total"`: a session's first total after an upgrade goes on from them.
"""

from __future__ import annotations

import time

from .call import digest
from .fastjson import dumps, loads
from .session import Store
from .system import (
    O_CLOEXEC,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDONLY,
    append_line,
    close,
    fstat,
    open,
    pread,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict

    from .call import Call
    from .state import Json

    class Sums(TypedDict):
        offset: int
        inode: int
        sessions: dict[str, float]
        steps: dict[str, float]
        projects: dict[str, float]
        noted: dict[str, float]


MAX_READ_BYTES = 1 << 22  # bytes; the rest comes with the next looks
ROOM = 1 << 20  # bytes of the sums: some 30,000 sessions a day
MAX_DOLLARS = 1e6  # dollars of one session on one day that are believed
MILLIONTH = 6  # decimal places of what is written


def day_of(when: float) -> str:
    """Return the local date, by which people count a day's spending."""
    return time.strftime("%Y-%m-%d", time.localtime(when))


def path_of(state: str, day: str) -> str:
    return f"{state}/ledger/{day}.jsonl"


def nothing() -> Sums:
    """Return the sums of a day of which no line has been read."""
    return {"offset": 0, "inode": 0, "sessions": {}, "steps": {}, "projects": {}, "noted": {}}


def add(sums: Sums, line: bytes) -> float:
    """Add one line to the sums and return the dollars that it adds; a bad line adds nothing."""
    try:
        return added(sums, loads(line.decode("utf-8", "replace")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0.0


def added(sums: Sums, entry: Mapping[str, object]) -> float:
    """Add one entry to the sums and return the dollars that it adds.

    ValueError, KeyError or TypeError where it is no entry.
    """
    key = _key(str(entry["harness"]), str(entry.get("session", "")))
    project = str(entry["project"])
    if "noted" in entry:
        sums["noted"][_named(project)] = _dollars(entry["noted"])
        return 0.0
    total = _dollars(entry["total"]) if "total" in entry else _stepped(sums, key, entry)
    dollars = total - sums["sessions"].get(key, 0.0)
    if dollars <= 0:
        return 0.0
    sums["sessions"][key] = total
    projects, name = sums["projects"], _named(project)
    projects[name] = round(projects.get(name, 0.0) + dollars, MILLIONTH)
    return round(dollars, MILLIONTH)


def _stepped(sums: Sums, key: str, entry: Mapping[str, object]) -> float:
    total = round(sums["steps"].get(key, 0.0) + _dollars(entry.get("dollars")), MILLIONTH)
    sums["steps"][key] = total
    return total


def _dollars(value: object) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 < value < MAX_DOLLARS
    ):
        raise ValueError("no amount of money")
    return float(value)


def _key(harness: str, session: str) -> str:
    return _named(f"{harness}-{session}")


NAMES: dict[str, str] = {}  # digests of what was met: most lines are of the same few sessions


def _named(text: str) -> str:
    name = NAMES.get(text)
    if name is None:
        name = NAMES[text] = digest(text)
    return name


def tell_note(state: str, call: Call, dollars: float, now: float) -> None:
    """Append that a note was given when the project had spent this; OSError where that fails."""
    entry = {"harness": call.harness, "project": call.cwd, "session": call.session}
    line = dumps({**entry, "noted": round(dollars, MILLIONTH)})
    append_line(path_of(state, day_of(now)), line + "\n")


class Day:
    """The ledger of one day. Construction reads the lines that nobody has added up yet."""

    __slots__ = ("_path", "sums")

    def __init__(self, state: str, day: str) -> None:
        self._path = path_of(state, day)
        store = Store(f"{state}/sums/{day}.json", 0.0, ROOM)
        self.sums = _usable(store.state)
        if self._read_on():
            store.state = {**self.sums}
            try:
                store.save()
            except (OSError, ValueError):  # somebody else saves, or the next look reads it again
                pass
        store.close()

    @property
    def machine(self) -> float:
        """The dollars of all sessions."""
        return sum(self.sums["sessions"].values())

    def project(self, path: str) -> float:
        """Return the dollars of all sessions in this project."""
        return self.sums["projects"].get(_named(path), 0.0)

    def noted(self, path: str) -> float:
        """Return what this project had spent when a note of it was last given, to whatever session."""
        return self.sums["noted"].get(_named(path), 0.0)

    def stepped(self, harness: str, session: str) -> float:
        """Return the dollars that this session had booked before the upgrade to running totals."""
        return self.sums["steps"].get(_key(harness, session), 0.0)

    def book(self, harness: str, session: str, project: str, total: float) -> None:
        """Append what the session has spent on this day, unless the ledger knows it already.

        OSError where it cannot be written; it counts in these sums all the same.
        """
        entry = {"harness": harness, "project": project, "session": session}
        line = dumps({**entry, "total": round(total, MILLIONTH)})
        if add(self.sums, line.encode()):
            append_line(self._path, line + "\n")

    def _read_on(self) -> bool:
        """Add the lines that are new; return whether there were any."""
        try:
            descriptor = open(self._path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        except FileNotFoundError:
            self.sums = nothing()
            return False
        except OSError:
            return False
        try:
            return self._add_lines(descriptor)
        except OSError:  # a pipe
            return False
        finally:
            close(descriptor)

    def _add_lines(self, descriptor: int) -> bool:
        about = fstat(descriptor)
        if about.st_ino != self.sums["inode"] or about.st_size < self.sums["offset"]:
            self.sums = {**nothing(), "inode": about.st_ino}
        data = pread(descriptor, MAX_READ_BYTES, self.sums["offset"])
        whole, newline, torn = data.rpartition(b"\n")
        for line in whole.split(b"\n"):
            add(self.sums, line)
        read = len(data) if len(torn) == MAX_READ_BYTES else len(whole) + len(newline)
        self.sums["offset"] += read
        return read > 0


def _usable(stored: Json) -> Sums:
    """Return what was stored, or sums of nothing where it has another shape."""
    try:
        sums: Sums = {
            "offset": _position(stored["offset"]),
            "inode": _position(stored["inode"]),
            "sessions": _amounts(stored["sessions"]),
            "steps": _amounts(stored["steps"]),
            "projects": _amounts(stored["projects"]),
            "noted": _amounts(stored.get("noted", {})),
        }
    except (KeyError, ValueError, TypeError, AttributeError):
        return nothing()
    return sums


def _position(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("no position in a file")
    return value


def _amounts(value: object) -> dict[str, float]:
    """Return the dollars of each session or project; ValueError or TypeError where there are none."""
    if not isinstance(value, dict):
        raise TypeError("no amounts of money")
    if not all(0 <= amount < float("inf") for amount in value.values()):
        raise ValueError("no amounts of money")
    return {**value}
