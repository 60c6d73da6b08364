"""A progress bar for long work: on stderr, for people only, never in a pipe or beside `--json`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int, int], None]  # how much is done now, how much there is in all


def _still(_done: int, _total: int) -> None:
    return


@contextmanager
def bar(title: str, *, hidden: bool = False) -> Iterator[Advance]:
    """Yields the function that moves the bar on."""
    if hidden or not sys.stderr.isatty():
        yield _still
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, advance=done, total=total)
