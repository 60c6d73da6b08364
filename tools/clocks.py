"""Run the fast tests by clocks on which days, hours and zones are unlike today's.

`python -m tools.clocks [CLOCK ...]`; by `late` all tests are run, by the others those that CLOCKWORK
names. `--brief` runs by every clock what BRIEF names, and no more.
A shifted clock begins where its name says and goes on, in whatever a test starts too.

libfaketime does it. That of Debian 12 (0.9.10) makes `time.sleep` of Python 3.11 fail, so the one in the
Python package of that name comes first. No file's times are shifted: a test that compares them with the
clock sets them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

# What reads the clock by itself, or runs what does: the guard and the commands that tell what it saw.
CLOCKWORK = (
    "tests/guard",
    "tests/installer/commands",
    "tests/installer/replay",
    "tests/installer/test_cost_breakdown.py",
    "tests/installer/test_self_test.py",
    "tests/test_how_it_decides.py",
    "tests/test_security.py",
)
BRIEF = (  # money of a day, and what else is held against the clock
    "tests/guard/test_health.py",
    "tests/guard/test_hook.py",
    "tests/guard/test_ledger.py",
    "tests/guard/test_session.py",
    "tests/guard/test_spending.py",
    "tests/guard/transcripts/test_codex_files.py",
    "tests/installer/commands/test_report.py",
    "tests/installer/commands/test_status.py",
)
BREVITY = "--brief"
ROOT = Path(__file__).parents[1]
HORIZON = 400  # days in which any zone with summer time changes its clocks
PROBE = """
import threading, time
time.sleep(0.01)
threading.Event().wait(0.01)
print(time.time())
"""


class Clock(NamedTuple):
    """`start` is Unix time; `tests` are paths, all where there are none."""

    zone: str
    start: float
    tests: tuple[str, ...] = ()


def clocks(now: datetime) -> dict[str, Clock]:
    return {
        "late": Clock("Pacific/Kiritimati", at(now, 400, "Pacific/Kiritimati", 23, 59)),
        "early": Clock("America/Los_Angeles", at(now, 2, "America/Los_Angeles", 0, 1), CLOCKWORK),
        "change": Clock("America/Havana", next_change(now, "America/Havana") - 60, CLOCKWORK),
    }


def at(now: datetime, days: int, zone: str, hour: int, minute: int) -> float:
    """That local time, so many days ahead."""
    day = now.astimezone(ZoneInfo(zone)) + timedelta(days=days)
    return day.replace(hour=hour, minute=minute, second=0, microsecond=0).timestamp()


def next_change(now: datetime, zone: str) -> float:
    """When the clocks of a zone change next, to the minute; in Havana they do so at midnight."""
    local = ZoneInfo(zone)

    def offset(minutes: int) -> timedelta | None:
        return (now + timedelta(minutes=minutes)).astimezone(local).utcoffset()

    day = next(day for day in range(HORIZON) if offset((day + 1) * 1440) != offset(0)) * 1440
    minute = next(minute for minute in range(day, day + 1441) if offset(minute) != offset(0))
    return (now + timedelta(minutes=minute)).replace(second=0, microsecond=0).timestamp()


def libraries() -> Iterator[Path]:
    package = find_spec("libfaketime")
    if package and package.origin:
        yield Path(package.origin).parent / "vendor/libfaketime/src/libfaketime.so.1"
    yield from Path("/usr/lib").glob("*/faketime/libfaketime.so.1")


def environment(library: Path, zone: str, offset: float) -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": str(library),
        "FAKETIME": f"{offset:+.0f}",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DISABLE_SHM": "1",
        "TZ": zone,
    }


def works(library: Path) -> bool:
    """Does a Python under this library see another time, and still sleep and wait?"""
    try:
        told = subprocess.run(
            [sys.executable, "-c", PROBE],
            env=environment(library, "UTC", 86400),
            capture_output=True,
            timeout=30,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    return abs(float(told.stdout) - datetime.now(UTC).timestamp() - 86400) < 3600


def run(library: Path, clock: Clock) -> int:
    """The exit code of the tests by this clock.

    In a folder of their own: by another clock pytest takes the folders of other runs for forgotten ones.
    """
    offset = clock.start - datetime.now(UTC).timestamp()
    with tempfile.TemporaryDirectory() as folder:
        options = ("-q", "-nauto", "--dist=loadfile", f"--basetemp={folder}/tests")
        return subprocess.run(
            [sys.executable, "-m", "pytest", *options, *clock.tests],
            env=environment(library, clock.zone, offset),
            check=False,
        ).returncode


def main(names: list[str]) -> int:
    library = next(filter(works, filter(Path.exists, libraries())), None)
    if library is None:
        print(
            f"no libfaketime for {sys.platform} makes the clock of this Python another one: no test ran"
        )
        return int(os.environ.get("RUNAWAY_REQUIRE_LIVE") == "1")
    known = clocks(datetime.now(UTC))
    if BREVITY in names:
        known = {name: clock._replace(tests=BRIEF) for name, clock in known.items()}
    failed = []
    for name in [name for name in names if name != BREVITY] or known:
        clock = known[name]
        local = datetime.fromtimestamp(clock.start, ZoneInfo(clock.zone))
        print(f"--- {name}: {local:%Y-%m-%d %H:%M} in {clock.zone}", flush=True)
        failed += [name] * bool(run(library, clock))
    print(
        f"tests failed by the clock {' and '.join(failed)}" if failed else "no test minds the clock"
    )
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
