"""A settings file of a harness as the harness reads it: what it says, and why it is ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..documents import json_document
from ..documents.json_document import Document, Rules
from ..documents.values import KeyPath, name_of
from ..errors import Refusal
from ..machine import Machine


class Problem(NamedTuple):
    """Why the file is ignored: the place in the tree and half a sentence."""

    path: KeyPath
    reason: str


class Settings(NamedTuple):
    """One file: its document where there is one that can be read, and what is wrong with it."""

    scope: str
    path: Path
    document: Any = None
    problem: str = ""  # half a sentence
    fix: str = ""  # where the parser knows one

    @property
    def contents(self) -> dict[str, Any]:
        """What it says, be something wrong with it or not."""
        contents = self.document.value if self.document else {}
        return contents if isinstance(contents, dict) else {}

    @property
    def values(self) -> dict[str, Any]:
        """What counts of it, where the harness ignores the whole of a file with a problem."""
        return {} if self.problem else self.contents


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


def read(
    scope: str, path: Path, parse: Callable[[bytes], Any], why: Callable[[Any, bytes], str]
) -> Settings:
    """A missing file is an empty one. `why`: half a sentence on what is wrong with one that parses."""
    if path.exists() and not path.is_file():  # a pipe would keep us waiting
        return Settings(scope, path, None, "it cannot be read: it is not a file")
    try:
        data = path.read_bytes()
        document = parse(data)
    except FileNotFoundError:
        return Settings(scope, path, None)
    except OSError as error:
        return Settings(scope, path, None, f"it cannot be read: {error.strerror}")
    except Refusal as refusal:
        return Settings(scope, path, None, refusal.text, refusal.fix)
    return Settings(scope, path, document, why(document, data))


def read_json(
    machine: Machine,
    scope: str,
    path: Path,
    rules: Rules,
    problems: Callable[[Document], Iterable[Problem]],
) -> Settings:
    """A JSON file by the rules of its harness."""
    name = machine.tilde(path)
    parse = partial(json_document.parse, rules=rules, name=name)
    found = read(scope, path, parse, lambda document, _: first(document, problems(document)))
    return found._replace(problem=found.problem.removeprefix(f"{name}: {rules.says}"))


def not_empty(one: Settings) -> Settings:
    """For a harness that does not start with an empty file."""
    is_empty = one.document and not one.document.source.text.strip()
    return one._replace(problem="it does not start with an empty file") if is_empty else one
