"""What setup did to a file, so that it can be taken back exactly: one small JSON file per receipt.

It is recorded before the file is written, so a run that is killed at any moment leaves a receipt that
holds for the file as it was and as it was to be.

A receipt is a claim, not a proof: whoever acts on it looks at the bytes on the disk. Damaged, oversized
or foreign files among the receipts are reported and otherwise ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Refusal
from . import private
from .faults import os_errors_as_refusals

MAX_RECEIPTS_BYTES = 1024 * 1024  # bytes
_SHA = re.compile(r"[0-9a-f]{64}")


class Receipt(NamedTuple):
    """`before` and `after` are sha256 hex digests, None for "no file".

    `backup` None although `before` is not: the bytes from before cannot be given back, because the
    file was changed by others between two changes of ours. `containers` names what was created
    inside the document around our entry, `folders` what was created around the file.
    """

    path: Path
    target: Path
    links: tuple[Path, ...]
    before: str | None
    after: str | None
    backup: str | None
    containers: tuple[str, ...]
    folders: tuple[Path, ...]
    harness: str
    scope: str
    time: str
    version: str


class Shelf(NamedTuple):
    receipts: tuple[Receipt, ...]
    problems: tuple[Refusal, ...]


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def follow(earlier: Receipt, later: Receipt, *, unbroken: bool) -> Receipt:
    """One receipt for two changes of the same file by the same harness's setup.

    `unbroken`: nobody but us has changed the file between them.
    """
    return later._replace(
        before=earlier.before if unbroken else later.before,
        backup=earlier.backup if unbroken else None,
        containers=_union(earlier.containers, later.containers),
        folders=_union(earlier.folders, later.folders),
    )


def record(state: Path, receipt: Receipt) -> None:
    """Keep the receipt in place of the one for the same path and harness, unless that says the same."""
    earlier = find(state, receipt.path, receipt.harness)
    if earlier is None or earlier._replace(time=receipt.time) != receipt:
        private.folder(state / "receipts")
        private.replace(_place(state, receipt.path, receipt.harness), _pack(receipt))


def find(state: Path, path: Path, harness: str) -> Receipt | None:
    try:
        return _load(_place(state, path, harness))
    except (OSError, Refusal):
        return None


def others(state: Path, path: Path, harness: str) -> tuple[Receipt, ...]:
    """Those of other harnesses that share this file, and our one entry in it."""
    known = all_receipts(state).receipts
    return tuple(one for one in known if one.path == path and one.harness != harness)


def all_receipts(state: Path) -> Shelf:
    """None where a file is in the place of our folder."""
    receipts, problems = [], []
    if state.is_file():
        return Shelf((), ())
    for place in sorted(private.require_private(state / "receipts").glob("*.json")):
        try:
            receipts.append(_load(place))
        except OSError as error:
            problems.append(_damaged(place, os.strerror(error.errno or 0)))
        except Refusal as refusal:
            problems.append(refusal)
    return Shelf(tuple(receipts), tuple(problems))


def forget(state: Path, receipt: Receipt) -> None:
    private.require_private(state / "receipts")
    with os_errors_as_refusals(receipt.path, "remove"), suppress(FileNotFoundError):
        os.unlink(_place(state, receipt.path, receipt.harness))


def _union(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(first + second))


def _place(state: Path, path: Path, harness: str) -> Path:
    key = hashlib.sha256(os.fsencode(path) + b"\0" + harness.encode()).hexdigest()[:32]
    return state / "receipts" / f"{key}.json"


def _pack(receipt: Receipt) -> bytes:
    fields = receipt._asdict()
    fields |= {"path": str(receipt.path), "target": str(receipt.target)}
    fields |= {name: [str(path) for path in fields[name]] for name in ("links", "folders")}
    return json.dumps(fields, indent=2).encode("ascii")


def _load(place: Path) -> Receipt:
    """Raises OSError, or Refusal `damaged-receipt` or `unsafe-state`."""
    data = private.read(place, MAX_RECEIPTS_BYTES)
    try:
        receipt = _receipt(json.loads(data))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(place, f"{type(error).__name__}: {error}") from error
    if _place(place.parent.parent, receipt.path, receipt.harness) != place:
        raise _damaged(place, "it speaks of another file")
    return receipt


def _receipt(fields: Any) -> Receipt:
    return Receipt(
        path=_path(fields["path"]),
        target=_path(fields["target"]),
        links=tuple(_path(link) for link in _list(fields["links"])),
        before=_sha(fields["before"]),
        after=_sha(fields["after"]),
        backup=None if fields["backup"] is None else _text(fields["backup"]),
        containers=tuple(_text(name) for name in _list(fields["containers"])),
        folders=tuple(_path(folder) for folder in _list(fields["folders"])),
        harness=_text(fields["harness"]),
        scope=_text(fields["scope"]),
        time=_text(fields["time"]),
        version=_text(fields["version"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, found {type(value).__name__}")
    return value


def _path(value: Any) -> Path:
    path = Path(_text(value))
    if not path.is_absolute() or "\0" in str(path):
        raise ValueError("expected an absolute path")
    return path


def _sha(value: Any) -> str | None:
    if value is None:
        return None
    if not _SHA.fullmatch(_text(value)):
        raise ValueError("expected a sha256 digest")
    return str(value)


def _damaged(place: Path, why: str) -> Refusal:
    return Refusal(
        f"The receipt {place} cannot be read: {why}.",
        code="damaged-receipt",
        fix="Move it away; uninstall then removes the entry without it.",
        path=place,
    )
