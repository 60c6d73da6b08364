"""The operating system without `os`, whose import alone costs a tenth of a Python start.

`os` only re-exports these names from `posix`; elsewhere (Windows) `os` itself is used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    import posix as _system

    pread, pwrite = _system.pread, _system.pwrite
    O_CLOEXEC, O_NOFOLLOW = _system.O_CLOEXEC, _system.O_NOFOLLOW
    O_NONBLOCK = _system.O_NONBLOCK
except ImportError:  # Windows
    import os as _system  # type: ignore[no-redef]

    O_CLOEXEC = O_NOFOLLOW = 0
    O_NONBLOCK = 0x8000  # O_BINARY: nothing blocks there, but line ends would be translated

    def pread(descriptor: int, length: int, offset: int, /) -> bytes:
        _system.lseek(descriptor, offset, 0)
        return _system.read(descriptor, length)

    def pwrite(descriptor: int, data: Any, offset: int, /) -> int:
        _system.lseek(descriptor, offset, 0)
        return _system.write(descriptor, data)


close, exit_now, fstat, ftruncate = _system.close, _system._exit, _system.fstat, _system.ftruncate
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
    """A variable of the environment (`posix` keeps it as bytes, `os` as text)."""
    environ: Any = _system.environ
    value = environ.get(name.encode()) or environ.get(name)
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def expanded(path: str) -> str:
    """`~` is the home of the user we run as by the user database: HOME is what an agent says it is."""
    if path[:1] != "~":
        return path
    try:
        from pwd import getpwuid

        home = getpwuid(_system.getuid()).pw_dir
    except (ImportError, KeyError):  # Windows; a container whose user has no name
        home = variable("HOME") or ""
    return home + path[1:]


def is_own(path: str) -> bool:
    """Does it belong to the user we run as? OSError where there is nothing."""
    return bool(stat(path).st_uid == _system.getuid())


def open_private(path: str, flags: int) -> int:
    """Open one of our own files, making its folder the first time."""
    try:
        return open(path, flags, 0o600)
    except FileNotFoundError:
        import os

        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        return open(path, flags, 0o600)


def try_lock(descriptor: int) -> bool:
    """Lock an open file, unless somebody holds it. True too where no file can be locked (some NFS)."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        return _try_lock_windows(descriptor)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # ENOLCK, ENOTSUP, ENOSYS: better unlocked than not at all
        pass
    return True


def _try_lock_windows(descriptor: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True


def append_line(path: str, line: str, largest: int = 0) -> None:
    """Append one line to a private file that is never followed through a link.

    A last line that was torn off is ended first, lest it swallow this one. A file that has grown
    beyond `largest` bytes (0: never) loses its older half. OSError where not all could be written.
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
    """OSError where the system took only a part: the next byte would have found no space."""
    if written < len(data):
        raise OSError(f"only {written} of {len(data)} bytes could be written")


def _keep_newest(path: str, largest: int) -> None:
    """Half of `largest` bytes; nothing while another does the same."""
    descriptor = open(path, UPDATE)
    try:
        if try_lock(descriptor) and fstat(descriptor).st_size >= largest:
            end = fstat(descriptor).st_size
            newest = pread(descriptor, largest // 2, end - largest // 2).partition(b"\n")[2]
            pwrite(descriptor, newest, 0)
            ftruncate(descriptor, len(newest))
    finally:
        close(descriptor)
