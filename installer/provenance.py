"""What setup says in a receipt about a file, and how much of it the bytes on the disk bear out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from ..guard import __version__
from .documents.values import Created
from .files.receipts import Receipt, digest, follow
from .files.writer import Written
from .plan import Target, holds_entry, is_our_edit, without_entry


def receipt_for(target: Target, written: Written, earlier: Receipt | None) -> Receipt:
    """The receipt of a change, planned or done; with the `earlier` one where the file held our entry."""
    receipt = Receipt(
        path=written.path,
        target=written.target,
        links=written.links,
        before=digest(written.before),
        after=digest(written.after),
        backup=written.backup,
        containers=tuple(_told(one) for one in target.install_entry(written.before).created),
        folders=written.created_folders,
        harness=target.harness,
        scope=target.scope,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )
    if earlier is None:
        return receipt
    if not holds_entry(target, written.before):  # taken out since, or never put in
        return receipt._replace(folders=tuple(dict.fromkeys(earlier.folders + receipt.folders)))
    return follow(earlier, receipt, unbroken=_leads_to(target, earlier, written.before))


def _leads_to(target: Target, receipt: Receipt, present: bytes | None) -> bool:
    """Do these bytes without our entry have the digest from before?"""
    made = receipt.before is None
    return digest(without_entry(target, present, created(receipt), made=made)) == receipt.before


def _told(one: Created) -> str:
    return json.dumps([list(one.path), one.before])


def created(receipt: Receipt | None) -> tuple[Created, ...]:
    """The containers that setup made in the document; what is none of its words is passed over."""
    return tuple(_read(receipt.containers)) if receipt else ()


def _read(containers: tuple[str, ...]) -> Iterator[Created]:
    for text in containers:
        with suppress(ValueError, TypeError, RecursionError):
            path, before = json.loads(text)
            steps = isinstance(path, list) and all(type(step) in (str, int) for step in path)
            if steps and isinstance(before, str | None):
                yield Created(tuple(path), before)


def is_proven(
    target: Target, receipt: Receipt, before: bytes | None, present: bytes | None
) -> bool:
    """Is the file nothing but what the receipt says was there before, and our entry?"""
    return is_our_edit(target, before, present, created(receipt))
