"""What the wire TAMPER goes by on this machine, compiled from what each harness's module says of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .files.receipts import Receipt
from .harnesses.registry import HARNESSES
from .harnesses.tamper_facts import TamperFacts
from .machine import Machine

JOINED = ("whole", "on", "off", "listed", "values", "words", "code", "variables")
SHORTEST = 4  # letters of a folder's name that is looked for in every call


def compiled(machine: Machine, receipts: Iterable[Receipt]) -> dict[str, Any]:
    """The part `tamper` of policy.json: a call that holds none of `names` is not looked into.

    `facts` is a text that is parsed for the others alone (guard/tampering/facts.py), since a guard reads
    the policy for each call.
    """
    known = {name: harness.tamper_facts(machine) for name, harness in HARNESSES.items()}
    plain = machine._replace(environ={})  # a later session may have no variable that is set today
    facts = (*known.values(), *(harness.tamper_facts(plain) for harness in HARNESSES.values()))
    # One guard for all users: their homes are not known.
    places = () if machine.shared else {*_folders(known), *_folders_of(known, receipts)}
    files = {folder / name for folder, harness in places for name in known[harness].files}
    told = {
        "ends": _each(end for one in facts for end in _ends(one, machine.home)),
        "files": _each(map(str, files.union(*(one.further for one in facts)))),
        "programs": {
            program: {"moved": HARNESSES[name].MOVED_BY, "flags": list(one.flags)}
            for name, one in known.items()
            for program in one.programs
        },
        **{part: _each(it for one in facts for it in getattr(one, part)) for part in JOINED},
    }
    names = _each(_names(facts, (folder for folder, _ in places)))
    return {"names": names, "facts": json.dumps(told, separators=(",", ":"))}


def holds(held: object, wanted: object) -> bool:
    """Is all that is wanted there? Setup may have known more, by variables that are not set today."""
    if isinstance(held, dict) and isinstance(wanted, dict):
        return all(holds(_parsed(held.get(key)), _parsed(wanted[key])) for key in wanted)
    if isinstance(held, list) and isinstance(wanted, list):
        return all(one in held for one in wanted)
    return held == wanted


def _parsed(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _each(found: Iterable[Any]) -> list[Any]:
    """As JSON gives them back."""
    return [list(one) if isinstance(one, tuple) else one for one in sorted(set(found))]


def _folders(known: dict[str, TamperFacts]) -> Iterator[tuple[Path, str]]:
    for name, facts in known.items():
        yield from ((facts.folder, name), (facts.default, name))


def _folders_of(
    known: dict[str, TamperFacts], receipts: Iterable[Receipt]
) -> Iterator[tuple[Path, str]]:
    """Where the user's settings were when setup came, whatever the environment says today."""
    for receipt in receipts:
        facts = known.get(receipt.harness)
        for name in facts.files if facts and receipt.scope == "user" else ():
            if str(receipt.path).endswith(f"/{name}"):
                yield receipt.path.parents[name.count("/")], receipt.harness


def _ends(facts: TamperFacts, home: Path) -> Iterator[str]:
    yield from facts.project
    yield from (str(facts.default.relative_to(home) / name) for name in facts.files)


def _names(facts: Iterable[TamperFacts], folders: Iterable[Path]) -> Iterator[str]:
    """Of files and their folders, options, variables and switches."""
    for one in facts:
        yield from (*one.words, *one.code, *one.variables, *(flag.split()[0] for flag in one.flags))
        yield from (name.rpartition("/")[2] for name in (*one.files, *one.project))
        yield from (name.partition("/")[0] for name in one.project)
        yield from (str(path.parent) for path in one.further)
    yield from filter(None, (harness.MOVED_BY for harness in HARNESSES.values()))
    defaults = {one.default for one in facts}
    for folder in folders:
        yield _called(folder)
        if folder not in defaults and folder.name in {one.name for one in defaults}:
            yield _called(folder.parent)  # a home that was moved


def _called(folder: Path) -> str:
    return folder.name if len(folder.name) >= SHORTEST else str(folder)
