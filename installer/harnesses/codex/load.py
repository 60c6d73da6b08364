"""One settings file of Codex as Codex reads it: its values, or why it drops the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...documents import json_document, toml_document
from ...documents.values import KeyPath, name_of
from ...errors import Refusal
from ...machine import Machine
from .. import load
from ..hook_file import Shape
from ..load import Settings
from .paths import CONFIG, shape
from .validation import problems


def in_toml(settings: Settings) -> bool:
    return settings.path.suffix == Path(CONFIG).suffix


def is_unknown(settings: Settings) -> bool:
    """Codex reads newer TOML than we do, so what we cannot parse may be fine for it."""
    return in_toml(settings) and settings.document is None and bool(settings.problem)


def read(machine: Machine, scope: str, path: Path) -> Settings:
    """A missing file is an empty one; a file that is dropped as a whole has a problem."""
    where = shape(machine, path)
    if path.suffix == Path(CONFIG).suffix:  # requirements.toml and managed_config.toml as well
        where = shape(machine, path.with_name(CONFIG))._replace(name=machine.tilde(path))
    return load.read(
        scope,
        path,
        where.parse,
        lambda document, data: next(why_dropped(where, document, data), ""),
    )


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
