"""Read the new lines of a growing file: only bytes that were not there at the last call.

The cursor is `(offset, inode, digest of up to PROOF bytes before the offset)`, `()` at first.
"""

from __future__ import annotations

from posix import O_NONBLOCK

from ..call import digest
from ..system import O_CLOEXEC, O_RDONLY, close, fstat, open, pread, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result

    from ..state import Cursor

READ = 1 << 20  # bytes at once: more would be slower, for the memory is new each time
MAX_LINE_BYTES = 1 << 23  # a longer one, a result with large pictures, is left out
MANY_LINE_ENDS = b"\n" * 64
CLOCK = 0.01  # seconds that the time of a file may be behind
inf = float("inf")
PROOF = 512  # bytes before the offset that must still be the same
EARLIER_PROOF = 64  # what release 0.1 remembered
FORMAT, REGULAR = 0o170000, 0o100000  # of st_mode


class News:
    """`lines` without line ends; `left`: bytes of the file that were not read yet, 0 where nothing is
    left but a line still being written; `rewritten`: the file is not the one the cursor knew, and was
    read from its start.
    """

    __slots__ = ("cursor", "left", "lines", "rewritten")

    def __init__(
        self, cursor: Cursor, lines: list[bytes], left: int = 0, rewritten: bool = False
    ) -> None:
        self.cursor = cursor
        self.lines = lines
        self.left = left
        self.rewritten = rewritten


def is_unchanged(about: stat_result, cursor: Cursor, read: float) -> bool:
    """Tell whether a file can have nothing new since it was read up to the cursor, at Unix time `read`.

    A file that was deleted and written anew may have its old size, and even its old inode.
    """
    return (about.st_size, about.st_ino) == cursor[:2] and about.st_mtime < read - CLOCK


def new_lines(path: str, cursor: Cursor, read: float = inf) -> News:
    """Read what was added to a file; one that is missing, unreadable or not regular has nothing new.

    Lines end with `\\n` alone: JSON may hold U+2028 and other ends of lines unescaped.
    """
    try:
        if cursor and is_unchanged(stat(path), cursor, read):
            return News(cursor, [])
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return News(cursor, [])
    try:
        return _read(descriptor, cursor)
    except OSError:
        return News(cursor, [])
    finally:
        close(descriptor)


def _read(descriptor: int, cursor: Cursor) -> News:
    about = fstat(descriptor)
    if about.st_mode & FORMAT != REGULAR:
        return News(cursor, [])
    known = not cursor or (
        about.st_ino == cursor[1]
        and about.st_size >= cursor[0]
        and cursor[2]
        in (_proof(descriptor, cursor[0]), _proof(descriptor, cursor[0], EARLIER_PROOF))
    )
    start = cursor[0] if cursor and known else 0
    text, torn = _whole_lines(descriptor, start, about.st_size - start)
    offset = start + len(text)
    if torn == MAX_LINE_BYTES:
        offset, torn = offset + torn, 0
    position = (offset, about.st_ino, _proof(descriptor, offset))
    left = about.st_size - offset - torn
    return News(position, _split(text), left, not known)


def _whole_lines(descriptor: int, start: int, size: int) -> tuple[bytes, int]:
    """Read whole lines from `start` on: READ bytes of them at most, or one long line.

    The number is how many bytes of the next line, which is not whole, were seen behind them.
    """
    data = pread(descriptor, min(size, READ), start)
    end = data.rfind(b"\n") + 1
    if not end and len(data) == READ:
        data = pread(descriptor, min(size, MAX_LINE_BYTES), start)
        end = data.find(b"\n") + 1
        return data[:end], 0 if end else len(data)
    return data[:end], len(data) - end


def _split(text: bytes) -> list[bytes]:
    """Split into lines without their ends; a megabyte of blank lines costs no more than one line."""
    while b"\n\n" in text:
        text = text.replace(MANY_LINE_ENDS, b"\n").replace(b"\n\n", b"\n")
    return text[:-1].split(b"\n") if text else []


def _proof(descriptor: int, offset: int, length: int = PROOF) -> str:
    start = max(0, offset - length)
    return digest(pread(descriptor, offset - start, start).decode("latin-1"))


def first_line(path: str, largest: int) -> tuple[bytes, float]:
    """Return the first line (b"" while it is not whole, or is longer) and when the file was written."""
    try:
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    except (OSError, ValueError):
        return b"", 0.0
    try:
        about = fstat(descriptor)
        if about.st_mode & FORMAT != REGULAR:
            return b"", 0.0
        line, end, _ = pread(descriptor, largest, 0).partition(b"\n")
        return line if end else b"", about.st_mtime
    except OSError:
        return b"", 0.0
    finally:
        close(descriptor)
