"""Progress of long work: on stderr, for people only, never in a pipe or beside `--json`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .. import colour
from ..printable import printable

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


@contextmanager
def line(*, hidden: bool = False) -> Iterator[Callable[[str], None]]:
    """Yields the function that tells what is done now; on a terminal each text replaces the last."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    if not colour.wanted(sys.stderr):
        yield lambda text: print(printable(text), file=sys.stderr)
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(
            Text(printable(text))
        )  # a plain string would be read as markup
