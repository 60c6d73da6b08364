"""One settings file of Codex as Codex reads it: its values, or why it drops the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...documents import json_document, toml_document
from ...documents.values import KeyPath, name_of
from ...errors import Refusal
from ...machine import Machine
from ..hook_file import Shape
from .paths import CONFIG, shape
from .validation import problems


class Settings(NamedTuple):
    """`document` is None where there is no file, or none that can be read; see `problem`."""

    scope: str
    path: Path
    document: Any
    problem: str

    @property
    def values(self) -> dict[str, Any]:
        values = self.document.value if self.document and not self.problem else {}
        return values if isinstance(values, dict) else {}

    @property
    def is_unknown(self) -> bool:
        """Codex reads newer TOML than we do, so what we cannot parse may be fine for it."""
        return self.in_toml and self.document is None and bool(self.problem)

    @property
    def in_toml(self) -> bool:
        return self.path.suffix == Path(CONFIG).suffix


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one; a file that is dropped as a whole has a problem."""
    where = shape(machine, path)
    if path.suffix == Path(CONFIG).suffix:  # requirements.toml and managed_config.toml as well
        where = shape(machine, path.with_name(CONFIG))._replace(name=machine.tilde(path))
    if path.exists() and not path.is_file():  # a pipe would keep us waiting
        return Settings(scope, path, None, "it cannot be read: it is not a file")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Settings(scope, path, None, "")
    except OSError as error:
        return Settings(scope, path, None, f"it cannot be read: {error.strerror}")
    try:
        document = where.parse(data)
    except Refusal as refusal:
        return Settings(scope, path, None, refusal.text)
    return Settings(scope, path, document, next(why_dropped(where, document, data), ""))


def why_dropped(shape: Shape, document: Any, data: bytes) -> Iterator[str]:
    """Everything for which Codex drops this file, which parses."""
    in_toml = shape.editor is toml_document
    if not in_toml:
        if document.is_blank:
            yield "an empty file is no JSON"
        for finding in json_document.findings(data, shape.rules, shape.name):
            yield finding.sentence
    for fault in problems(document.value, in_toml=in_toml):
        yield f"{name_of(fault.path)}{_place(document, fault.path)}: {fault.reason}"


def _place(document: Any, path: KeyPath) -> str:
    """Where that is, as far as it has a place of its own."""
    if hasattr(document, "place"):
        return f" at {document.place(path)}"
    found = next(
        (found for end in range(len(path), 0, -1) if (found := document.below(path[:end]))), ()
    )
    return f" at {document.source.place(found[0].start)}" if found else ""


def refuse_dropped(shape: Shape, data: bytes) -> None:
    """Raises Refusal for a file that Codex would drop, or not start with; a blank one is filled."""
    document = shape.parse(data)
    for problem in why_dropped(shape, document, data) if not document.is_blank else ():
        raise Refusal(
            f"Codex {effect(shape.name)} {shape.name}: {problem}.",
            code="codex-drops-file",
            fix="Correct that entry, then run `runaway setup` again.",
        )


def effect(name: str) -> str:
    return "does not start with" if name.endswith(".toml") else "ignores the whole file"
