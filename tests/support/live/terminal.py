"""An interactive program on a pseudo-terminal: what its screen shows, and keys for it."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

LINES, COLUMNS = 40, 120
PATIENCE = 120.0  # seconds, for a machine that has much else to do
ENTER, ESCAPE, DOWN = "\r", "\x1b", "\x1b[B"


class Screen(pyte.Screen):
    """Answers what a program asks its terminal, such as where the cursor is."""

    def __init__(self, size: tuple[int, int], answer: Callable[[str], object]) -> None:
        super().__init__(size[1], size[0])
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        self._answer(data)

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """A program that asks how its keys are told does not mean a colour."""
        if not private:
            super().select_graphic_rendition(*attributes)

    def report_device_status(self, mode: int, *, private: bool = False) -> None:
        """Of the questions with a `?`, which pyte does not know, none is answered."""
        if not private:
            super().report_device_status(mode)


class Terminal:
    """Runs `command` while the `with` block does."""

    def __init__(
        self,
        command: list[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        size: tuple[int, int] = (LINES, COLUMNS),
    ) -> None:
        with warnings.catch_warnings():
            # Python 3.12 warns of a fork beside threads; the child does nothing but exec.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child: pexpect.spawn[bytes] = pexpect.spawn(
                command[0],
                command[1:],
                cwd=str(cwd),
                env={"TERM": "xterm-256color", **environment},
                dimensions=size,
            )
        self._screen = Screen(size, self._child.send)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def text(self) -> str:
        """The screen, without trailing blanks and empty lines."""
        return "\n".join(line.rstrip() for line in self._screen.display if line.strip())

    @property
    def title(self) -> str:
        """What the program has made the title of the window."""
        return self._screen.title

    @property
    def has_colour(self) -> bool:
        """Is any character on the screen in a colour?"""
        cells = (cell for line in self._screen.buffer.values() for cell in line.values())
        return any(cell.fg != "default" for cell in cells)

    def wait_for(self, wanted: str, *, timeout: float = PATIENCE) -> None:
        """Fails with the screen when `wanted` does not appear in time."""
        deadline = time.monotonic() + timeout
        while wanted not in self.text:
            assert time.monotonic() < deadline, f"{wanted!r} did not appear:\n{self.text}"
            self._read(seconds=0.1)

    def press(
        self, key: str, *, until: str | Callable[[], bool], timeout: float = PATIENCE
    ) -> None:
        """Presses `key` again and again: a fresh dialog ignores what comes in its first moment.

        Until a text is on the screen; on a fast machine it may be gone again, then ask something else.
        """
        deadline = time.monotonic() + timeout
        while not (until in self.text if isinstance(until, str) else until()):
            assert time.monotonic() < deadline, f"{until!r} did not appear:\n{self.text}"
            self._child.send(key)
            self._read(seconds=1)

    def submit(self, line: str) -> None:
        """Types `line` and Enter; sent together they would count as pasted text."""
        self._child.send(line)
        self.wait_for(line)
        self._child.send(ENTER)

    def send(self, keys: str) -> None:
        self._child.send(keys)

    def exit_code(self, *, timeout: float = PATIENCE) -> int | None:
        """Draws what still comes until the program has ended by itself."""
        deadline = time.monotonic() + timeout
        try:
            while time.monotonic() < deadline:
                with contextlib.suppress(pexpect.TIMEOUT):
                    self._stream.feed(self._child.read_nonblocking(65536, timeout=0.1))
        except pexpect.EOF:
            self._child.wait()  # it says no more, and may yet have to end
        self._end()
        return self._child.exitstatus

    def _read(self, *, seconds: float) -> None:
        """Draws what comes within that time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                self._stream.feed(self._child.read_nonblocking(65536, timeout=left))
            except pexpect.TIMEOUT:
                return
            except pexpect.EOF:
                raise AssertionError(f"the program has ended:\n{self.text}") from None

    def _end(self) -> None:
        """Hang up, and kill what stays; on a busy machine it is not gone within pexpect's moment."""
        with contextlib.suppress(pexpect.ExceptionPexpect):
            self._child.close(force=True)
        self._child.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()
