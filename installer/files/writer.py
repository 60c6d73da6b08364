"""The one way by which a user's file changes: an edit is a function, a writer decides what it does.

`Commit` changes files, `DryRun` only tells what would change, `Refuse` proves in tests that nothing
is written. Each can be used as `with writer:` around several changes; `Commit` then keeps its lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self

from ..errors import Refusal
from . import backups, checks, inplace, private, receipts, temporary
from .faults import os_errors_as_refusals
from .links import Resolved, resolve
from .lock import locked
from .receipts import Receipt
from .retry import Edit, Folders, Outcome, Transform, apply_with_retry, plan
from .snapshot import Snapshot, read_stable

__all__ = ["Action", "Commit", "DryRun", "Refuse", "Transform", "Writer", "Written"]

Action = Literal["written", "created", "removed", "unchanged"]
Record = Callable[["Written"], None]


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
        record: Record | None = None,
    ) -> Written:
        """Makes `path` what `transform` wants. Raises Refusal with the file as it was.

        A new file gets `default_mode`, and whoever may read it may enter its missing folders. With
        a removed file those of `folders` go, innermost first, that lie above it and are empty then.
        `record` is told of a change before anything happens, and again of what it came to: a run
        that is killed between has told enough to take the change back.
        """
        ...

    def heal(self, path: Path, transform: Transform) -> None:
        """Finish a write in place that a killed run left half done, as `apply` does by itself.

        Only where `transform` makes the same of both versions, so that it does not matter which one
        the file ends up with: whoever planted a note gains nothing by it.
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
            with os_errors_as_refusals(self._state), ExitStack() as stack:
                stack.enter_context(locked(self._state))
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
        record: Record | None = None,
    ) -> Written:
        tell = record or _tell_nobody
        with self, os_errors_as_refusals(path):
            where = resolve(path)
            inplace.heal(self._state, where.target, partial(_makes_the_same, transform))
            seen = read_stable(where.target, default_mode)
            with self._swept(where.target.parent), _undoing_folders() as made:
                change = Edit(
                    where.target,
                    transform,
                    check=partial(checks.check, where),
                    save=partial(self._save, where.named),
                    announce=lambda outcome, missing: tell(_written(where, outcome, missing)),
                    make=partial(_make_folders, made, default_mode),
                    state=self._state,
                )
                outcome = apply_with_retry(change, seen)
            if outcome.after is None:
                _remove_empty([folder for folder in folders if folder in where.named.parents])
            written = _written(where, outcome, tuple(made))
            if written.action != "unchanged":
                tell(written)
            return written

    def heal(self, path: Path, transform: Transform) -> None:
        target = resolve(path).target
        if inplace.is_noted(self._state, target):
            with self, os_errors_as_refusals(path):
                inplace.heal(self._state, target, partial(_makes_the_same, transform))

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
        record: Record | None = None,  # noqa: ARG002
    ) -> Written:
        where = resolve(path)
        basis, wanted = plan(transform, where.target, read_stable(where.target, default_mode))
        missing = checks.check(where, basis) if wanted != basis else ()
        return _written(where, Outcome(basis.data, wanted.data, None), missing)

    def heal(self, path: Path, transform: Transform) -> None:
        pass

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
        record: Record | None = None,  # noqa: ARG002
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


def _tell_nobody(_: Written) -> None:
    pass


def _makes_the_same(transform: Transform, one: bytes, other: bytes) -> bool:
    try:
        return transform(one) == transform(other)
    except Refusal:
        return False


def _make_folders(made: list[Path], file_mode: int, missing: Folders) -> None:
    """Whoever may read the file may look into its folders."""
    folder_mode = file_mode | (file_mode & 0o444) >> 2
    for folder in missing:
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
