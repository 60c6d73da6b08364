"""`runaway uninstall`: take the entries out, see that they are gone, then remove the code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from .. import colour, completion_files, diff, managed_scope, own_files, provenance
from ..errors import Refusal
from ..files import backups, receipts
from ..files.receipts import Receipt
from ..files.restore import restoring
from ..files.writer import Commit, DryRun, Writer, Written
from ..harnesses import known_files, wired
from ..harnesses.base import Harness
from ..harnesses.registry import HARNESSES, harness_named
from ..machine import Machine
from ..own_files import Own
from ..plan import Target, holds_entry, is_installed, without_entry
from ..result import Message, Result


class Options(NamedTuple):
    """Without `harnesses` all are meant; `restore` wants the exact bytes from before setup back."""

    harnesses: tuple[str, ...] = ()
    project: Path | None = None
    managed: bool = False  # what the machine's owner has put in for everybody, and nothing else
    restore: bool = False
    dry_run: bool = False
    purge: bool = False  # take what is the person's too: policy, spend history, backups
    only: frozenset[Path] = frozenset()  # of all files these alone, where there are any


class Row(NamedTuple):
    """What happened to one file: removed, restored, changed-since, kept or refused."""

    target: Target
    action: str
    written: Written | None = None
    refusal: Refusal | None = None


def run(machine: Machine, options: Options) -> Result:
    """All under one lock: a setup at the same time comes before or after it, never between."""
    for name in options.harnesses:
        harness_named(name)  # a mistake in the call must not even take the lock
    if options.managed:
        machine = _organisation(machine, options)
    writer: Writer = DryRun() if options.dry_run else Commit(machine.state)
    with writer:
        targets = list(_targets(machine, options))
        strange = (*_strange_receipts(machine, options), *_moved(machine, options))
        rows = [row for target in targets for row in _rows(machine, writer, target, options)]
        left = [] if options.dry_run else _still_wired(machine, options)
        refused = bool(left) or any(row.action == "refused" for row in rows)
        gone = {row.target.path for row in rows if row.action != "kept"}
        own = Own() if refused else _own(machine, options, gone)
        if not options.dry_run:
            own_files.remove(machine, own)
    return Result(
        command="uninstall",
        status="refused" if refused else "removed" if rows else "unchanged",
        exit_code=1 if refused else 0,
        data={
            "files": [_as_data(machine, row, options) for row in rows],
            "removed": [machine.tilde(path) for path in own.removed],
            "kept": [machine.tilde(path) for path in own.kept],
        },
        messages=(
            *_messages(machine, rows, left),
            *_changed(machine, targets),
            *strange,
            *_owners(machine),
        ),
        lines=(
            *_lines(machine, rows, options),
            *_own_lines(machine, own, options),
            *_owners_lines(machine, options),
        ),
        paint=colour.diff if options.dry_run else colour.plain,
        exact=options.dry_run,
    )


def would_go(machine: Machine, options: Options) -> tuple[str, ...]:
    """What a person is to know before saying yes: each file, and what stays."""
    done = run(machine, options._replace(dry_run=True))
    files = (f"{machine.tilde(one['path'])}: {_would(one['action'])}" for one in done.data["files"])
    own = (f"{path}: would be removed" for path in done.data["removed"])
    return (*files, *own, *(f"{path}: would be kept" for path in done.data["kept"]))


def _would(action: str) -> str:
    return WORDS["kept"] if action == "kept" else "entry would be removed"


def _organisation(machine: Machine, options: Options) -> Machine:
    if not options.dry_run:
        managed_scope.refuse_others(machine)
    return managed_scope.of(machine)


def _targets(machine: Machine, options: Options) -> Iterator[Target]:
    found = wired.places(machine, _named(options), options.project or machine.cwd)
    return (one for one in found if not options.only or one.path in options.only)


def _named(options: Options) -> list[Harness]:
    return [harness_named(name) for name in options.harnesses] or list(HARNESSES.values())


def _strange_receipts(machine: Machine, options: Options) -> Iterator[Message]:
    """Damaged ones, and those about a file that is nobody's settings: nothing is done by them."""
    named = {harness.NAME: harness for harness in _named(options)}
    known, problems = receipts.all_receipts(machine.state)
    for problem in problems:
        text = machine.shortened(problem.text)
        yield Message("warning", problem.code, text, None, None, problem.fix)
    for one in known:
        if one.harness in named and not wired.scope_of(machine, named[one.harness], one):
            path = machine.tilde(one.path)
            display = named[one.harness].DISPLAY
            text = f"A receipt names {path}, where {display} keeps no settings of yours."
            fix = "That file was left alone; look who wrote the receipt."
            yield Message("warning", "strange-receipt", text, one.harness, path, fix)


def _moved(machine: Machine, options: Options) -> Iterator[Message]:
    """A project that was moved has taken the entry along, and nobody knows where to."""
    named = [harness.NAME for harness in _named(options)]
    for one in wired.moved(machine):
        if one.harness in named:
            path = machine.tilde(one.path)
            text = f"{path} is gone; if its project was moved, the entry went along."
            fix = "Run `runaway uninstall --project FOLDER` for its new place."
            yield Message("warning", "moved", text, one.harness, path, fix)


def _rows(machine: Machine, writer: Writer, target: Target, options: Options) -> Iterator[Row]:
    """Nothing for a file without an entry of ours."""
    receipt = receipts.find(machine.state, target.path, target.harness)
    if _is_shared(machine, target, options) and is_installed(target):
        if receipt:
            writer.forget(receipt)
        yield Row(target, "kept")
        return
    try:
        if options.restore and receipt and not _held_entry(machine, target, receipt):
            action, written = _restore(machine, writer, target, receipt)
        else:
            action, written = "removed", _remove(writer, target, receipt)
        if receipt:
            writer.forget(receipt)
    except Refusal as refusal:
        if is_installed(
            target
        ):  # what is wrong with a file that does not name us is its own affair
            yield Row(target, "refused", refusal=refusal)
        return
    if written.action != "unchanged":
        yield Row(target, action, written)


def _is_shared(machine: Machine, target: Target, options: Options) -> bool:
    """Does a harness that stays need the same entry?"""
    named = [harness.NAME for harness in _named(options)]
    others = receipts.others(machine.state, target.path, target.harness)
    return any(one.harness in HARNESSES and one.harness not in named for one in others)


def _held_entry(machine: Machine, target: Target, receipt: Receipt) -> bool:
    """An entry of an earlier setup, checked out with dotfiles say: the old bytes would bring it back."""
    try:
        before = backups.load(machine.state, receipt.backup) if receipt.backup else None
        return holds_entry(target, before)
    except Refusal:
        return False


def _restore(
    machine: Machine, writer: Writer, target: Target, receipt: Receipt
) -> tuple[str, Written]:
    """Newer edits are never overwritten: then only our entry goes."""
    try:
        proven = partial(provenance.is_proven, target, receipt)
        restored = restoring(machine.state, receipt, proven)
        return "restored", writer.apply(target.path, restored, folders=receipt.folders)
    except Refusal as refusal:
        if refusal.code not in ("changed-since", "no-backup", "damaged-backup"):
            raise
        return "changed-since", _remove(writer, target, receipt)


def _remove(writer: Writer, target: Target, receipt: Receipt | None) -> Written:
    created = provenance.created(receipt)
    made = receipt is not None and receipt.before is None and not target.path.is_symlink()
    without = partial(without_entry, target, created=created, made=made)
    return writer.apply(target.path, without, folders=receipt.folders if receipt else ())


def _still_wired(machine: Machine, options: Options) -> list[Target]:
    """Looked up on the disk again: code goes only when no file names it any more."""
    targets = (it for it in _targets(machine, options) if not _is_shared(machine, it, options))
    return [target for target in targets if is_installed(target)]


def _own(machine: Machine, options: Options, gone: set[Path]) -> Own:
    """Code goes when nothing is wired any more, counting the files in `gone` as done."""
    everywhere = _targets(machine, options._replace(harnesses=(), only=frozenset()))
    if any(target.path not in gone and is_installed(target) for target in everywhere):
        return Own()
    return own_files.purged(machine) if options.purge else own_files.of(machine)


def _as_data(machine: Machine, row: Row, options: Options) -> dict[str, Any]:
    return {
        "harness": row.target.harness,
        "scope": row.target.scope,
        "path": str(row.target.path),
        "action": row.action,
        "diff": diff.of(machine, row.written) if options.dry_run and row.written else None,
    }


WORDS = {
    "removed": "entry removed",
    "restored": "exactly as it was before setup",
    "changed-since": "entry removed; the file has other changes since setup, which were kept",
    "kept": "entry kept: another agent that stays runs it too",
    "refused": "not changed",
}


def _lines(machine: Machine, rows: list[Row], options: Options) -> Iterable[str]:
    if options.dry_run:
        yield from diff.dry_lines(machine, [row.written for row in rows if row.written])
        rows = [row for row in rows if row.action == "kept"]
    for row in rows:
        yield f"{machine.tilde(row.target.path)}: {WORDS[row.action]}"
    if not (rows or options.dry_run):
        yield "No settings file holds an entry of the guard."


def _own_lines(machine: Machine, own: Own, options: Options) -> Iterator[str]:
    """Our own files; `patch` passes over what a dry run says of them."""
    would = "would be " if options.dry_run else ""
    for path in own.removed:
        yield f"{machine.tilde(path)}: {would}removed"
    for path in own.kept:
        yield f"{machine.tilde(path)}: {would}kept, {own.why}"
    if own.removed and machine.launcher.exists():
        name = machine.tilde(machine.launcher)
        yield (
            f"{name}: {would}kept as a harmless stub, because running sessions still call it. "
            "Delete it once they have ended."
        )
    if own.removed:
        yield from completion_files.left(machine)


def _owners_lines(machine: Machine, options: Options) -> Iterator[str]:
    if not options.dry_run:
        yield from (f"{message.text} {message.fix}" for message in _owners(machine))


def _owners(machine: Machine) -> Iterator[Message]:
    """What is not ours to take away is not to be mistaken for gone."""
    owners = managed_scope.of(machine)
    if not machine.shared and managed_scope.is_in_place(owners):
        text = f"The guard that the owner of this machine has put into {owners.data} stays."
        fix = "The owner removes it with `runaway uninstall --scope managed`."
        yield Message("info", "managed-stays", text, None, None, fix)


def _changed(machine: Machine, targets: list[Target]) -> Iterator[Message]:
    """Entries that somebody has wrapped are theirs, but are not to be mistaken for gone."""
    for target in targets:
        with suppress(OSError):
            data = target.path.read_bytes() if target.path.is_file() else b""
            for command in known_files.changed_commands(data):
                path = machine.tilde(target.path)
                text = f"{path} starts the guard in a form that setup did not write: `{command}`."
                fix = "It was left alone and does nothing any more: take it out by hand."
                yield Message("warning", "changed-entry", text, target.harness, path, fix)


def _messages(machine: Machine, rows: list[Row], left: list[Target]) -> Iterable[Message]:
    for row in rows:
        path = machine.tilde(row.target.path)
        if row.refusal:
            one = row.refusal
            yield Message("error", one.code, one.text, row.target.harness, path, one.fix or None)
        if row.action == "changed-since":
            text = f"{path} has changed since setup: only the guard's entry was taken out."
            fix = "`runaway backups list` shows the version from before setup."
            yield Message("warning", "changed-since", text, row.target.harness, path, fix)
    for target in left:
        path = machine.tilde(target.path)
        text = f"{path} still names the guard, so its code stays."
        yield Message("error", "still-wired", text, target.harness, path)
