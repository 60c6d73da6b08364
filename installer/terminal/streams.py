"""stdin, stdout and stderr as whoever called us left them: closed, full, or without a reader."""

from __future__ import annotations

import errno
import os
import sys
from typing import TextIO

from .. import fitting


class OutputLost(Exception):
    """stdout takes no more: it is closed, its disk is full, or its reader has left."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def open_missing() -> None:
    """Where a stream is closed, put an empty file there that takes nothing.

    Otherwise the next file that is opened would get its number, and whatever is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            file = os.open(os.devnull, os.O_RDONLY)
            if file != number:
                os.dup2(file, number)
                os.close(file)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


def write(stream: TextIO, text: str) -> None:
    """One line, in UTF-8 whatever the locale; OutputLost when it cannot be written to stdout."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        print(text, file=stream)
        return
    try:
        buffer.write(_encoded(text) + b"\n")
        buffer.flush()
    except OSError as error:
        discard(stream)
        if stream is not sys.stderr:  # what cannot be told there can be told nowhere
            raise OutputLost(error) from None


def write_wrapped(stream: TextIO, text: str) -> None:
    """The same for people: on a terminal no word is broken. In a pipe each line stays whole."""
    if columns := _columns(stream):
        text = "\n".join(fitting.wrapped(line, columns) for line in text.split("\n"))
    write(stream, text)


def _columns(stream: TextIO) -> int:
    """Of the terminal; 0 where there is none."""
    try:
        is_terminal = stream.isatty()
        return (os.get_terminal_size(stream.fileno()).columns or fitting.COLUMNS) * is_terminal
    except (OSError, ValueError):  # ValueError: a stream that was closed
        return 0


def _encoded(text: str) -> bytes:
    """Bytes that were no text come out as they went in."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character that never was a byte
        return text.encode("utf-8", "backslashreplace")


def discard(stream: TextIO) -> None:
    """What is still in the buffer goes nowhere, lest Python tries to write it again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def tell_of_loss(error: OSError) -> None:
    """One sentence on stderr; none where the reader has left, who wanted no more."""
    discard(sys.stdout)
    if error.errno != errno.EPIPE:
        closed = error.errno == errno.EBADF
        why = "it is closed" if closed else os.strerror(error.errno or 0)
        write(sys.stderr, f"Cannot write to standard output: {why}.")
