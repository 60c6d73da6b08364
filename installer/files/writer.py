"""The one way by which a user's file changes: an edit is a function, a writer decides what it does.

`Commit` changes files, `DryRun` only tells what would change, `Refuse` proves in tests that nothing
is written. Each can be used as `with writer:` around several changes; `Commit` then keeps its lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self

from runaway.installer.files import backups, checks, inplace, private, receipts, temporary
from runaway.installer.files.faults import explained
from runaway.installer.files.links import Resolved, resolve
from runaway.installer.files.lock import locked
from runaway.installer.files.receipts import Receipt
from runaway.installer.files.settle import Change, Outcome, Transform, plan, settle
from runaway.installer.files.snapshot import Snapshot, take

__all__ = ["Action", "Commit", "DryRun", "Refuse", "Transform", "Writer", "Written"]

Action = Literal["written", "created", "removed", "unchanged"]


class Written(NamedTuple):
    """What happened to a file, or would happen.

    `path` is absolute and as named, `target` where its `links` lead; `backup` is the id under which
    `before` is kept, `created_folders` were made on the way to a new file.
    """

    path: Path
    target: Path
    links: tuple[Path, ...]
    before: bytes | None
    after: bytes | None
    backup: str | None
    created_folders: tuple[Path, ...]
    action: Action


class Writer(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def apply(
        self,
        path: Path,
        transform: Transform,
        *,
        default_mode: int = 0o600,
        folders: Sequence[Path] = (),
    ) -> Written:
        """Makes `path` what `transform` wants. Raises Refusal with the file as it was.

        A new file gets `default_mode`, and whoever may read it may enter its missing folders. With
        a removed file those of `folders` go, innermost first, that lie above it and are empty then.
        """
        ...

    def record(self, receipt: Receipt) -> None: ...

    def forget(self, receipt: Receipt) -> None: ...


class Commit:
    """The writer that writes. `state` is our own folder: lock, backups, receipts."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._held = ExitStack()
        self._depth = 0

    def __enter__(self) -> Self:
        if self._depth == 0:
            with explained(self._state), ExitStack() as stack:
                stack.enter_context(locked(self._state))
                inplace.heal(self._state)
                private.sweep(self._state)
                self._held = stack.pop_all()
        self._depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._held.close()

    def apply(
        self,
        path: Path,
        transform: Transform,
        *,
        default_mode: int = 0o600,
        folders: Sequence[Path] = (),
    ) -> Written:
        with self, explained(path):
            where = resolve(path)
            seen = take(where.target, default_mode)
            with self._swept(where.target.parent), _undoing_folders() as made:
                change = Change(
                    where.target,
                    transform,
                    prepare=lambda basis: _prepare(where, basis, made, default_mode),
                    save=lambda basis: self._save(where.named, basis),
                    state=self._state,
                )
                outcome = settle(change, seen)
            if outcome.after is None:
                _remove_empty([folder for folder in folders if folder in where.named.parents])
            return _written(where, outcome, tuple(made))

    def record(self, receipt: Receipt) -> None:
        with self:
            receipts.record(self._state, receipt)

    def forget(self, receipt: Receipt) -> None:
        with self:
            receipts.forget(self._state, receipt)

    @contextmanager
    def _swept(self, folder: Path) -> Iterator[None]:
        temporary.sweep(folder, self._state, self._save)
        try:
            yield
        finally:
            temporary.sweep(folder, self._state, self._save)

    def _save(self, path: Path, seen: Snapshot) -> str | None:
        if seen.data is None:
            return None
        return backups.save(self._state, path, seen.data, seen.mode)


class DryRun:
    """Tells what `Commit` would do or refuse, and touches nothing: no file, folder, lock, time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def apply(
        self,
        path: Path,
        transform: Transform,
        *,
        default_mode: int = 0o600,
        folders: Sequence[Path] = (),  # noqa: ARG002
    ) -> Written:
        where = resolve(path)
        basis, wanted = plan(transform, where.target, take(where.target, default_mode))
        missing = checks.check(where, basis) if wanted != basis else ()
        return _written(where, Outcome(basis.data, wanted.data, None), missing)

    def record(self, receipt: Receipt) -> None:
        pass

    def forget(self, receipt: Receipt) -> None:
        pass


class Refuse(DryRun):
    """For tests: AssertionError as soon as anything would change."""

    def apply(
        self,
        path: Path,
        transform: Transform,
        *,
        default_mode: int = 0o600,
        folders: Sequence[Path] = (),
    ) -> Written:
        written = super().apply(path, transform, default_mode=default_mode, folders=folders)
        if written.action != "unchanged":
            raise AssertionError(f"{written.path} would be {written.action}")
        return written

    def record(self, receipt: Receipt) -> None:
        raise AssertionError(f"a receipt for {receipt.path} would be written")

    def forget(self, receipt: Receipt) -> None:
        raise AssertionError(f"the receipt for {receipt.path} would be removed")


def _written(where: Resolved, outcome: Outcome, folders: tuple[Path, ...]) -> Written:
    before, after, backup = outcome
    action: Action = "written"
    if before == after:
        action = "unchanged"
    elif before is None or after is None:
        action = "created" if before is None else "removed"
    return Written(*where, before, after, backup, folders, action)


def _prepare(where: Resolved, basis: Snapshot, made: list[Path], file_mode: int) -> None:
    """Whoever may read the file may look into its folders."""
    folder_mode = file_mode | (file_mode & 0o444) >> 2
    for folder in checks.check(where, basis):
        with suppress(FileExistsError):
            os.mkdir(folder, folder_mode)
            made.append(folder)


@contextmanager
def _undoing_folders() -> Iterator[list[Path]]:
    """Collects the folders that are made, and removes them again if the change fails."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        _remove_empty(made)
        raise


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):
            os.rmdir(folder)
