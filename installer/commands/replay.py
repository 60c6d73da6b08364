"""`runaway replay`: the real wires over past sessions: what would have tripped, where, and its money."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...guard.call import ASK, LEVELS
from .. import managed_scope
from ..errors import Refusal
from ..machine import Machine
from ..replay.engine import Replayed, replay
from ..replay.families import families, files
from ..replay.folders import log_folders
from ..replay.summary import Summary, first_trip, summary
from ..result import Result

SHOWN = 20  # sessions that would have tripped

Advance = Callable[[int, int], None]  # bytes of a session that is done, bytes in all


def run(machine: Machine, paths: Iterable[Path], advance: Advance) -> Result:
    """Without paths, the sessions of every harness on this machine."""
    known = [path for folders in log_folders(machine).values() for path in folders]
    wanted = list(paths) or [path for path in known if path.is_dir()]
    if not wanted:
        text = "No past sessions were found on this machine."
        raise Refusal(text, code="no-sessions", fix="Name files or folders: runaway replay PATH")
    policy = managed_scope.policy(machine)
    found, foreign = families(files(wanted))
    size = sum(family.size for family in found)
    replayed = []
    for family, one in replay(found, policy):
        replayed.append(one)
        advance(family.size, size)
    told = summary(replayed, policy)
    data = {
        "summary": {**told._asdict(), "rules": [rule._asdict() for rule in told.rules]},
        "sessions": [_as_data(one) for one in replayed if one.trips],
        "foreign_files": len(foreign),
    }
    lines = [*_lines(machine, told, replayed), *_left_out(foreign)]
    return Result("replay", "ok", data=data, lines=tuple(lines))


def _as_data(one: Replayed) -> dict[str, Any]:
    trips = [{**trip._asdict(), "level": LEVELS[trip.level]} for trip in one.trips]
    return {**one._asdict(), "path": str(one.path), "trips": trips}


def _lines(machine: Machine, told: Summary, replayed: list[Replayed]) -> Iterator[str]:
    yield (
        f"{told.sessions} sessions, {told.calls} calls, {told.prompts} prompts, "
        f"${told.dollars:.2f}: {told.tripped} would have been asked about or stopped."
    )
    if told.tripped:
        yield (
            f"First at call {told.median_call:g} (median); what came after it until the next prompt: "
            f"{told.calls_saved} calls, ${told.dollars_saved:.2f}."
        )
    yield f"{'rule':32}{'sessions':>9}{'per 100':>9}{'per 10,000 calls':>18}{'first at call':>15}"
    for rule in told.rules:
        at = f"{rule.median_call:g}" if rule.median_call is not None else "-"
        counts = f"{rule.sessions:>9}{rule.per_100_sessions:>9.2f}{rule.per_10000_calls:>18.2f}"
        yield f"{rule.rule:32}{counts}{at:>15}"
    tripped = [one for one in replayed if first_trip(one)]
    for one in sorted(tripped, key=lambda one: one.dollars, reverse=True)[:SHOWN]:
        yield from _session(machine, one)
    for model in told.unknown_models:
        yield f"{model} has no known price: it was counted like the dearest of its kind."


def _left_out(foreign: Sequence[Path]) -> Iterator[str]:
    if foreign:
        files = "1 file was" if len(foreign) == 1 else f"{len(foreign)} files were"
        yield f"{files} no session log and left out."


def _session(machine: Machine, one: Replayed) -> Iterator[str]:
    yield f"{machine.tilde(one.path)}: {one.calls} calls, ${one.dollars:.2f}"
    for trip in one.trips:
        if trip.level >= ASK:
            what = f"{trip.rule} at {trip.reached:g}"
            yield f"  call {trip.call}: {what}: {LEVELS[trip.level]}, ${trip.dollars_saved:.2f} after it"
