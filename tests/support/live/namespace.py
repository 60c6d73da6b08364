"""A real program that sees another /etc: bound over the machine's in a mount namespace of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

UNSHARE = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)))
SCRIPT = 'mount --bind "$0" /etc && exec "$@"'


def is_given() -> bool:
    """May we have a namespace, and mount something in it?"""
    if not shutil.which("unshare"):
        return False
    command = [*UNSHARE, "sh", "-c", SCRIPT, "/etc", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def furnish(etc: Path, home: Path) -> None:
    """A copy of the machine's /etc, in which the user's home directory is `home`."""
    shutil.copytree("/etc", etc, symlinks=True, ignore=_unreadable)
    lines = (etc / "passwd").read_text().splitlines()
    (etc / "passwd").write_text("\n".join(_moved(line, home) for line in lines) + "\n")


def _unreadable(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not os.access(f"{folder}/{name}", os.R_OK)]


def _moved(line: str, home: Path) -> str:
    fields = line.split(":")
    if len(fields) == 7 and fields[2] == "0":  # whom we are in the namespace
        fields[5] = str(home)
    return ":".join(fields)


def inside(program: Path, etc: Path, folder: Path) -> Path:
    """A stand-in that starts `program` with `etc` as its /etc."""
    folder.mkdir()
    stand_in = folder / program.name
    command = shlex.join([*UNSHARE, "sh", "-c", SCRIPT, str(etc), str(program)])
    stand_in.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    stand_in.chmod(0o755)
    return stand_in
