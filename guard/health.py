"""The fail-open log: the guard never blocks work by its own fault, but it never fails in silence."""

from __future__ import annotations

import time

from .system import USERS_STATE, append_line, expanded, is_own

LARGEST = 1_000_000  # bytes; beyond it the health log is left alone


def note(folder: str, harness: str, error: BaseException) -> None:
    """Append one line to `<folder>/health.log`; if even that fails there is nothing left to do.

    A folder that serves all users of the machine is not ours to write to: then into the user's state.
    """
    try:
        frame = error.__traceback__
        while frame and frame.tb_next:
            frame = frame.tb_next
        where = "?"
        if frame:
            file = frame.tb_frame.f_code.co_filename.rpartition("/")[2]
            where = f"{file}:{frame.tb_lineno}"
        from .masking import beginning, masked  # only once something has failed

        what = " ".join(masked(beginning(f"{type(error).__name__}: {error}")).split())[:300]
        line = f"{int(time.time())} {harness} {where} {what}\n"
        try:
            append_line(folder + "/health.log", line, LARGEST)
        except OSError:
            if is_own(folder):
                raise
            append_line(expanded(USERS_STATE) + "/health.log", line, LARGEST)
    except Exception:
        return
