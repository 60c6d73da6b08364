"""Runs somebody else's program for a bounded time and leaves nothing of it running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal


class Finished(NamedTuple):
    """`exit_code` is None when the time ran out and the program was killed."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float


def run(
    arguments: Sequence[str | Path], *, environment: Mapping[str, str], cwd: Path, timeout: float
) -> Finished:
    """Raises OSError when the program cannot be started."""
    started = time.monotonic()
    process = subprocess.Popen(
        arguments,
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
            exit_code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            kill(process.pid)
            stdout, stderr = process.communicate()
            exit_code = None
        finally:
            kill(process.pid)
    return Finished(exit_code, stdout, stderr, time.monotonic() - started)


def kill(pid: int) -> None:
    """Ends the process group that `pid` leads; on Windows, which has none, the process itself."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)
    except OSError:
        return


def start(
    arguments: Sequence[str | Path], *, environment: Mapping[str, str], cwd: Path, timeout: float
) -> Finished:
    """`run`, where a program that cannot be started is refused."""
    try:
        return run(arguments, environment=environment, cwd=cwd, timeout=timeout)
    except OSError as error:
        raise Refusal(
            f"{arguments[0]} cannot be started in {cwd}: {error.strerror}.",
            code="harness-not-started",
            fix="Check that both exist and that the program is one of this platform.",
            path=Path(arguments[0]),
        ) from error
