"""How a file with hooks is edited: the same for every harness but for what makes it useless there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..documents import json_document
from ..documents.json_document import Document
from ..documents.values import name_of
from ..errors import Refusal
from ..launch_command import command_for, named_launcher
from ..machine import Machine
from ..plan import Rewrite, Target
from . import hook_file
from .hook_file import Shape
from .load import Problem, refuse

EditTarget = Callable[[Machine, str, Path], Target]


class Place(NamedTuple):
    """Where an entry goes: what a harness may find wrong with that beside the bytes of the file."""

    scope: str
    path: Path
    name: str  # for messages
    registered: str


class Validation(NamedTuple):
    """What is refused, because an entry there would only look like protection.

    `effect`: what the harness does with a file that has `problems`, up to its name. `refuse_place`
    raises Refusal for a place that is not read, whatever the file holds.
    """

    problems: Callable[[Machine, Document], Iterable[Problem]]
    effect: str
    code: str
    refuse_place: Callable[[Place], None] = lambda _: None


def of(name: str, shape_of: Callable[[Machine, Path], Shape], validation: Validation) -> EditTarget:
    """`edit_target` of the harness of this name."""

    def edit_target(machine: Machine, scope: str, path: Path) -> Target:
        shape = hook_file.at_home(machine, shape_of(machine, path))
        registered = command_for(named_launcher(machine, scope), shape.harness)
        place = Place(scope, path, shape.name, registered)
        return Target(
            name,
            scope,
            path,
            install_entry=partial(
                _install_entry, machine=machine, shape=shape, place=place, validation=validation
            ),
            remove_entry=partial(hook_file.remove_entry, shape=shape),
            snippet=partial(hook_file.snippet, shape, registered),
        )

    return edit_target


def _install_entry(
    data: bytes | None, machine: Machine, shape: Shape, place: Place, validation: Validation
) -> Rewrite:
    validation.refuse_place(place)
    data = hook_file.without_unwanted(data, shape)
    document = json_document.parse(data or b"", shape.rules, shape.name)
    effect = f"{validation.effect} {shape.name}"
    refuse(document, validation.problems(machine, document), effect, validation.code)
    _refuse_changed(document, shape)
    return hook_file.install_entry(data, shape, place.registered)


def _refuse_changed(document: Document, shape: Shape) -> None:
    """A second entry beside one that somebody has wrapped would count every call twice."""
    bound = {entry.event for entry in hook_file.own_entries(document, shape)}
    for event, path, command in hook_file.changed(document):
        if event in shape.events and event not in bound:
            where = f"{shape.name} ({name_of(path)})"
            text = f"{where} starts the guard in a form that setup does not write: `{command}`."
            fix = "Take that entry out, or keep it as it is; setup puts no second one beside it."
            raise Refusal(text, code="changed-entry", fix=fix)


def of_bytes(
    problems: Callable[[Document], Iterable[Problem]],
) -> Callable[[Machine, Document], Iterable[Problem]]:
    """Where nothing but the file decides."""
    return lambda _machine, document: problems(document)
