"""What a harness does not take of its settings: found by the `settings` module of each, told by place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from runaway.installer.documents.values import KeyPath, name_of
from runaway.installer.errors import Refusal


class Fault(NamedTuple):
    """Why the file is ignored: the place in the tree and half a sentence."""

    path: KeyPath
    reason: str


def first(document: Any, faults: Iterable[Fault]) -> str:
    """`hooks.Stop[0] at 3:5: it must ...`, or "" where nothing is wrong."""
    for path, reason in faults:
        return f"{name_of(path)} at {document.place(path)}: {reason}"
    return ""


def refuse(document: Any, faults: Iterable[Fault], effect: str, code: str) -> None:
    """Raises Refusal where there is a fault: an entry in such a file would only look like protection."""
    if found := first(document, faults):
        fix = "Correct that place, then run `runaway setup` again."
        raise Refusal(f"{effect}: {found}.", code=code, fix=fix)
