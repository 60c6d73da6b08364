"""Shared by all readers: parse a line, read values of unknown types safely."""

from __future__ import annotations

from ..fastjson import loads
from . import MARKER, NEUTRAL, PROMPT, REFUSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..state import Event, Json, ReaderState

    T = TypeVar("T")

MAX_TOKENS = 10**12
FIRST_TIME = 1577836800.0  # 2020: no harness is older
DAY = 86400.0  # seconds that another machine's clock may be ahead
MAX_DATES = 1000
FEW_CALLS = 3  # between two compactions: less is no work
BEGINNING = 200  # characters of a refusal in which the guard's marker stands


def kind_of(head: bytes, kinds: list[tuple[bytes, T]]) -> T | None:
    """Return what reads lines with such a head: the first of `kinds` whose word is in it."""
    for word, kind in kinds:
        if word in head:
            return kind
    return None


def safely(kind: Callable[..., list[T]], *arguments: object) -> list[T]:
    """Return what `kind` makes of a record, [] if it fails: one odd record must not hide the rest."""
    try:
        return kind(*arguments)
    except Exception:
        return []


def parse(line: bytes) -> Json:
    """Return the JSON object of this line, or {}."""
    try:
        record = loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def mapping(value: object) -> Json:
    """Return an object, {} for anything else."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[Json]:
    """Return the objects in a list, [] for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a text, "" for anything else."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """Return a number of tokens, 0 for what cannot be one."""
    if isinstance(value, int) and value is not True and 0 < value < MAX_TOKENS:
        return value
    return 0


def seconds(stamp: object) -> float:
    """Return the Unix time of `2026-11-30T13:42:10.492Z`, 0.0 for anything else.

    An offset (`+02:00`) counts; a time without a zone is taken for UTC. Written by hand, because loading
    `datetime` takes longer.
    """
    if not isinstance(stamp, str):
        return 0.0
    try:
        date, minutes = stamp[0:10], int(stamp[11:13]) * 60 + int(stamp[14:16])
        clock, ahead = (stamp[17:-1], 0) if stamp[-1] == "Z" else _zone(stamp[17:])
        second = float(clock)
        midnight = MIDNIGHTS.get(date) or _midnight(date)
    except (ValueError, LookupError):
        return 0.0
    if not (midnight and 0 <= minutes < 1440 and 0 <= second < 61):
        return 0.0
    return midnight + (minutes - ahead) * 60 + second


def _zone(clock: str) -> tuple[str, int]:
    """`10.492+02:00` -> (`10.492`, 120): the seconds, and the minutes that the zone is ahead of UTC."""
    for sign, factor in (("+", 60), ("-", -60)):
        second, found, zone = clock.partition(sign)
        if found:
            digits = zone.replace(":", "")
            return second, (int(digits[:2]) * factor + int(digits[2:] or "0") * factor // 60)
    return clock, 0


MIDNIGHTS: dict[str, float] = {}  # of the dates met: most lines of a log are of the same few days


def _midnight(date: str) -> float:
    """Return the Unix time at which this day begins in UTC; 0.0 if there is no such year."""
    year, month, day = int(date[0:4]), int(date[5:7]), int(date[8:10])
    if not 0 < year < 10000:
        return 0.0
    if month < 3:  # years that begin in March have their leap day at the end
        year, month = year - 1, month + 12
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day
    if len(MIDNIGHTS) < MAX_DATES:
        MIDNIGHTS[date] = (days - 719469) * 86400.0
    return (days - 719469) * 86400.0


def dated(event: Event, now: float) -> Event:
    """Date an event without a believable time by its reading, lest money lands in another day."""
    if FIRST_TIME < event[1] < now + DAY:
        return event
    return (event[0], now, *event[2:])  # no item but the time changes


def content_text(content: object) -> str:
    """Return the text of a result, which is a text or a list of blocks; of a picture, its data."""
    if isinstance(content, str):
        return content
    return "\n".join(_block_text(block) for block in objects(content))


def _block_text(block: Json) -> str:
    own = block.get("text")
    if isinstance(own, str):
        return own
    return text(block.get("type")) + text(mapping(block.get("source")).get("data"))


def refusal(result_text: str) -> str:
    """Return the outcome of a call that a program kept from running: neutral if it was the guard."""
    return NEUTRAL if MARKER in result_text[:BEGINNING] else REFUSED


def work(memory: ReaderState) -> None:
    """Count a call since the last compaction."""
    if "worked" in memory:
        memory["worked"] += 1


def compacted(memory: ReaderState, time: float) -> list[Event]:
    """Return a lap where a compaction follows another with next to no work between them."""
    worked, memory["worked"] = memory.get("worked", FEW_CALLS), 0
    return [(PROMPT, time, "", False)] if worked < FEW_CALLS else []


def command_failed(code: object, output: str) -> bool:
    """Tell whether a command failed: one that ends with 1 and is silent has looked and found nothing."""
    return code not in (None, 0) and not (code == 1 and not output.strip())
