"""Detect whether a session is interactive, for harnesses that do not say.

What tells is the harness's own process in /proc, so this works on Linux alone.
"""

from __future__ import annotations

from .system import O_CLOEXEC, O_RDONLY, close, getppid, open, read, readlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SHELLS = 6  # processes between the harness and the guard that share the guard's stdin
MAX_COMMAND_LINE_BYTES = 1 << 16  # bytes of a command line
TERMINALS = ("/dev/pts/", "/dev/tty")


def at_terminal(prevents: Callable[[str], bool]) -> bool:
    """Tell whether the harness talks with a terminal and has no option that `prevents` questions.

    A hook's stdin is its harness's doing, so the first process above that has another one is the
    harness. Where that cannot be seen the answer is no: then calls are denied, not asked about.
    """
    try:
        process = _harness()
        return _talks(process) and not any(map(prevents, _options(process)))
    except (OSError, ValueError, IndexError):
        return False


def single_run() -> str:
    """Return the id of the harness's process if that was given its only prompt, else ""."""
    try:
        process = _harness()
        return process if any(map(runs_headless, _options(process))) else ""
    except (OSError, ValueError, IndexError):
        return ""


def _harness() -> str:
    """Return the id of the harness's process; OSError where it cannot be seen."""
    ours = readlink("/proc/self/fd/0")
    process = str(getppid())
    for _ in range(SHELLS):
        if readlink(f"/proc/{process}/fd/0") != ours:
            return process
        process = _parent(process)
    raise OSError


def _talks(process: str) -> bool:
    streams = (readlink(f"/proc/{process}/fd/0"), readlink(f"/proc/{process}/fd/1"))
    return all(stream.startswith(TERMINALS) for stream in streams)


def _options(process: str) -> list[str]:
    words = _text(f"/proc/{process}/cmdline").split("\0")
    return [word for word in words[1:] if word[:1] == "-"]


def _parent(process: str) -> str:
    """Return the parent's id from `17 (a name) S 16 ...`, where the name may hold anything."""
    return _text(f"/proc/{process}/stat").rpartition(")")[2].split()[1]


def _text(path: str) -> str:
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try:
        return read(descriptor, MAX_COMMAND_LINE_BYTES).decode("utf-8", "replace")
    finally:
        close(descriptor)


def runs_headless(word: str) -> bool:
    """Recognise `-p`, also among other letters, and `--prompt`, but not `--prompt-interactive`."""
    if word[:2] == "--":
        return word.partition("=")[0] == "--prompt"
    return word[:1] == "-" and "p" in word
