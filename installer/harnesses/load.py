"""A JSON file of a harness as the harness reads it: its document, and why it ignores it where it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ..documents import json_document
from ..documents.json_document import Document, Rules
from ..documents.values import KeyPath, name_of
from ..errors import Refusal


class Problem(NamedTuple):
    """Why the file is ignored: the place in the tree and half a sentence."""

    path: KeyPath
    reason: str


def first(document: Any, problems: Iterable[Problem]) -> str:
    """`hooks.Stop[0] at 3:5: it must ...`, or "" where nothing is wrong."""
    for path, reason in problems:
        return f"{name_of(path)} at {document.place(path)}: {reason}"
    return ""


def refuse(document: Any, problems: Iterable[Problem], effect: str, code: str) -> None:
    """Raises Refusal where there is a fault: an entry in such a file would only look like protection."""
    if found := first(document, problems):
        fix = "Correct that place, then run `runaway setup` again."
        raise Refusal(f"{effect}: {found}.", code=code, fix=fix)


def load(
    path: Path, name: str, rules: Rules, problems: Callable[[Document], Iterable[Problem]]
) -> tuple[Document | None, str]:
    """(document, problem): no document where there is no file, or none that can be read.

    A problem is half a sentence, "" where there is none; a missing file is an empty one.
    """
    if path.exists() and not path.is_file():  # a pipe would keep us waiting
        return None, "it cannot be read: it is not a file"
    try:
        document = json_document.parse(path.read_bytes(), rules, name)
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, f"it cannot be read: {error.strerror}"
    except Refusal as refusal:
        return None, refusal.text
    return document, first(document, problems(document))
