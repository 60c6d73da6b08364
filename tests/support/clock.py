"""The clock that tests and what they start go by."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOMENT = 30.0  # seconds: longer than a test takes that books money and looks at it
SHARED = {
    name: value
    for name, value in os.environ.items()
    if name in {"TZ", "LD_PRELOAD"} or name.startswith("FAKETIME")
}

_STAMP = re.compile(rb'(?<="timestamp":")[^"]*')


def share() -> None:
    """Let children go by the same clock and zone, whatever environment a test gives them."""
    popen: Any = subprocess.Popen.__init__
    execute = os.execvpe

    def started(self: Any, *args: Any, env: Mapping[str, str] | None = None, **more: Any) -> None:
        popen(self, *args, env=env if env is None else {**SHARED, **env}, **more)

    def executed(file: Any, args: Any, env: Any) -> None:  # by pexpect
        execute(file, args, {**SHARED, **env})

    if SHARED:
        for owner, name, stand_in in (
            (subprocess.Popen, "__init__", started),
            (os, "execvpe", executed),
        ):
            setattr(owner, name, stand_in)


def copy_as_of_now(log: Path, to: Path) -> None:
    """Copy a recorded log as if all of it had been written just now."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()).encode()
    to.write_bytes(_STAMP.sub(now, log.read_bytes()))


def stay_in_one_day() -> None:
    """Let a local day pass that ends in a moment: what is booked today must be today's when looked at."""
    left = seconds_of_today(time.time())
    if left < MOMENT:
        time.sleep(left + 1)


def seconds_of_today(now: float) -> float:
    year, month, day = time.localtime(now)[:3]
    return time.mktime((year, month, day + 1, 0, 0, 0, 0, 0, -1)) - now
