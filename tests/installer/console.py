"""The console script, run as a person or a program runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

SCRIPT = Path(sys.executable).with_name("runaway")
SETUP = ("setup", "--non-interactive", "--harness", "claude")
SETTINGS = b'{\n  "model": "opus"\n}\n'


class Ran(NamedTuple):
    code: int
    out: bytes
    err: bytes

    @property
    def told(self) -> dict[str, Any]:
        """The one object on stdout: anything before or behind it raises."""
        told = json.loads(self.out)
        assert isinstance(told, dict)
        return told


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", **more}


def run(
    home: Path,
    *arguments: str | bytes,
    cwd: Path | None = None,
    more: Mapping[str, str] | None = None,
) -> Ran:
    done = subprocess.run(
        [str(SCRIPT), *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=environment(home, **(more or {})),
        cwd=cwd or home,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stdout + done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def settings_in(home: Path, data: bytes = SETTINGS) -> Path:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(data)
    return path
