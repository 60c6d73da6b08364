"""The fail-open log: the guard never blocks work by its own fault, but it never fails in silence.

<folder>/health.log   1796048451 claude hook.py:5 ValueError: odd
                      1796048451 claude .runaway.json /app/.runaway.json is invalid: not JSON
"""

from __future__ import annotations

import time

from .system import USERS_STATE, append_line, expanded, is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LOG_BYTES = 1_000_000  # bytes; then the older half goes
MAX_TEXT_CHARACTERS = 300  # characters of what happened


def note(folders: Sequence[str], harness: str, error: BaseException) -> None:
    """Log a fault of the guard's own."""
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    where = "?"
    if frame:
        file = frame.tb_frame.f_code.co_filename.rpartition("/")[2]
        where = f"{file}:{frame.tb_lineno}"
    tell(folders, harness, where, f"{type(error).__name__}: {error}")


def tell(folders: Sequence[str], harness: str, where: str, what: str) -> None:
    """Append one line to the first of the folders' logs that can be written, else nowhere.

    A folder that serves all users of the machine is not ours to write to: then into the user's state.
    """
    try:
        from .masking.text import beginning, masked  # only once something has failed

        text = " ".join(masked(beginning(what)).split())[:MAX_TEXT_CHARACTERS]
        line = f"{int(time.time())} {harness} {where} {text}\n"
        if not any(_written(folder, line) for folder in folders) and not is_own(folders[-1]):
            _written(expanded(USERS_STATE), line)
    except Exception:
        return


def _written(folder: str, line: str) -> bool:
    try:
        append_line(folder + "/health.log", line, MAX_LOG_BYTES)
    except (OSError, ValueError):
        return False
    return True
