"""The operating system without `os`, whose import alone costs a tenth of a Python start.

`os` only re-exports these names from `posix`.
"""

from __future__ import annotations

import posix as _system  # `os` without its cost
import sys

pread, pwrite = _system.pread, _system.pwrite
O_CLOEXEC, O_NOFOLLOW = _system.O_CLOEXEC, _system.O_NOFOLLOW
O_NONBLOCK = _system.O_NONBLOCK
close, fstat, ftruncate = _system.close, _system.fstat, _system.ftruncate
exit_now = _system._exit  # noqa: SLF001
open, read, stat, write = _system.open, _system.read, _system.stat, _system.write
getppid, readlink = _system.getppid, _system.readlink

O_RDONLY = _system.O_RDONLY
# Where a guard that serves all users of a machine keeps what it knows of each.
USERS_STATE = (
    "~/Library/Application Support/runaway"
    if sys.platform == "darwin"
    else "~/.local/state/runaway"
)
# Every file the guard itself makes (mode 0600); should a pipe stand there, nobody waits for it.
PRIVATE = _system.O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
UPDATE = _system.O_RDWR | PRIVATE
APPEND = _system.O_RDWR | _system.O_APPEND | PRIVATE


def variable(name: str) -> str | None:
    """Return a variable of the environment (`posix` keeps it as bytes)."""
    value = _system.environ.get(name.encode())
    return None if value is None else value.decode("utf-8", "surrogateescape")


def expanded(path: str) -> str:
    """Expand `~` by the user database, because an agent can set HOME to anything."""
    if path[:1] != "~":
        return path
    try:
        from pwd import getpwuid

        home = getpwuid(_system.getuid()).pw_dir
    except (ImportError, KeyError):  # a container whose user has no name
        home = variable("HOME") or ""
    return home + path[1:]


def is_own(path: str) -> bool:
    """Tell whether a file belongs to the user we run as; OSError if there is none."""
    return bool(stat(path).st_uid == _system.getuid())


def open_private(path: str, flags: int) -> int:
    """Open one of our own files, making its folder the first time."""
    try:
        return open(path, flags, 0o600)
    except FileNotFoundError:
        import os

        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        return open(path, flags, 0o600)


def read_all(descriptor: int, largest: int) -> bytes:
    """Read to the end, or until `largest` bytes are there."""
    chunks, size = [], 0
    while size < largest:
        chunk = read(descriptor, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def read_until_silent(descriptor: int, largest: int, seconds: float) -> bytes:
    """Read as `read_all` does, but no longer than this after the last byte: it may never be closed."""
    from select import select

    chunks, size = [], 0
    while size < largest and select((descriptor,), (), (), seconds)[0]:
        chunk = read(descriptor, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def try_lock(descriptor: int) -> bool:
    """Lock an open file; False if another process holds it. True where locks do not work (some NFS)."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # ENOLCK, ENOTSUP, ENOSYS: better unlocked than not at all
        pass
    return True


def append_line(path: str, line: str, largest: int = 0) -> None:
    """Append a line to a private file (symlinks refused); OSError if not all could be written.

    An unfinished last line is ended first. A file that has reached `largest` bytes (0: no limit) loses
    its older half.
    """
    data = line.encode("utf-8", "replace")
    descriptor = open_private(path, APPEND)
    try:
        size = fstat(descriptor).st_size
        if largest and size >= largest:
            _keep_newest(path, largest)
            size = fstat(descriptor).st_size
        if pread(descriptor, 1, max(0, size - 1)) not in (b"", b"\n"):  # a pipe raises OSError
            data = b"\n" + data
        write_whole(write(descriptor, data), data)
    finally:
        close(descriptor)


def write_whole(written: int, data: bytes) -> None:
    """Raise OSError if the system took only a part of the data: no space is left."""
    if written < len(data):
        raise OSError(f"only {written} of {len(data)} bytes could be written")


def _keep_newest(path: str, largest: int) -> None:
    """Keep the newest `largest / 2` bytes; do nothing while another process does the same."""
    descriptor = open(path, UPDATE)
    try:
        if try_lock(descriptor) and fstat(descriptor).st_size >= largest:
            end = fstat(descriptor).st_size
            newest = pread(descriptor, largest // 2, end - largest // 2).partition(b"\n")[2]
            pwrite(descriptor, newest, 0)
            ftruncate(descriptor, len(newest))
    finally:
        close(descriptor)
