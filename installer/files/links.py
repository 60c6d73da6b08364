"""Follows a path through every symbolic link to the file that really holds the bytes.

A link that is edited must stay a link, so the writer works on the final target. Known installers
rename onto the link instead (slkiser/opencode-quota#265) or create what a dangling link points to.
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import NamedTuple

from ..errors import Refusal
from .faults import os_errors_as_refusals

MAX_LINKS = 40  # what Linux follows before it answers ELOOP


class Resolved(NamedTuple):
    """`links`: each link on the way, in the order met, links to folders among them."""

    named: Path
    target: Path
    links: tuple[Path, ...]


def resolve(path: Path) -> Resolved:
    """Raises Refusal `link-loop`, or `dangling-link` when a link leads to nothing."""
    named = Path.cwd() / path
    with os_errors_as_refusals(named, "read"):
        where = _walk(named)
        for link in where.links:
            if not os.path.exists(link):
                raise _dangling(named, link)
    return where


def _walk(named: Path) -> Resolved:
    here = Path(named.anchor)
    ahead = deque(named.parts[1:])
    links: list[Path] = []
    while ahead:
        part = ahead.popleft()
        step = here.parent if part == ".." else here / part
        if part == ".." or not step.is_symlink():
            here = step
            continue
        links.append(step)
        if len(links) > MAX_LINKS:
            raise _loop(named, links[0])
        goal = step.readlink()
        here = Path(goal.anchor) if goal.is_absolute() else here
        ahead.extendleft(reversed(goal.parts[1:] if goal.is_absolute() else goal.parts))
    return Resolved(named, here, tuple(links))


def _loop(named: Path, link: Path) -> Refusal:
    return Refusal(
        f"{named} leads through the link {link}, which runs in a circle.",
        code="link-loop",
        fix="Remove the link or point it to the real file.",
        path=named,
    )


def _dangling(named: Path, link: Path) -> Refusal:
    return Refusal(
        f"{named} leads through the link {link} to {os.path.realpath(link)}, which does not exist.",
        code="dangling-link",
        fix="Create that target or remove the link, then run the command again.",
        path=named,
    )
