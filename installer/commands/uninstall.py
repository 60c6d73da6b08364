"""`runaway uninstall`: take the entries out, see that they are gone, then remove the code."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer import colour, deploy, organisation, policy_file
from runaway.installer.diff import unified
from runaway.installer.documents.values import Created
from runaway.installer.errors import Refusal
from runaway.installer.files import backups, receipts
from runaway.installer.files.receipts import Receipt
from runaway.installer.files.restore import restoring
from runaway.installer.files.writer import Commit, DryRun, Writer, Written
from runaway.installer.harnesses.registry import HARNESSES, harness_named
from runaway.installer.machine import Machine
from runaway.installer.plan import Target, is_wired
from runaway.installer.result import Message, Result


class Options(NamedTuple):
    """Without `harnesses` all are meant; `restore` wants the exact bytes from before setup back."""

    harnesses: tuple[str, ...] = ()
    project: Path | None = None
    managed: bool = False  # what the machine's owner has put in for everybody, and nothing else
    restore: bool = False
    dry_run: bool = False
    keep_data: bool = False


class Row(NamedTuple):
    """What happened to one file: removed, restored, changed-since or refused."""

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
    removed: list[str] = []
    with writer:
        targets = list(_targets(machine, options))
        rows = [row for target in targets for row in _rows(machine, writer, target, options)]
        left = [] if options.dry_run else _still_wired(machine, options)
        refused = bool(left) or any(row.action == "refused" for row in rows)
        if not (options.dry_run or refused):
            removed = _remove_own_files(machine, options, rows)
    return Result(
        command="uninstall",
        status="refused" if refused else "removed" if rows else "unchanged",
        exit_code=1 if refused else 0,
        data={"files": [_as_data(machine, row, options) for row in rows], "removed": removed},
        messages=(*_messages(machine, rows, left), *_owners(machine)),
        lines=(*_lines(machine, rows, removed, options), *_owners_lines(machine, options)),
        paint=colour.diff if options.dry_run else colour.plain,
        exact=options.dry_run,
    )


def _organisation(machine: Machine, options: Options) -> Machine:
    if not options.dry_run:
        organisation.refuse_others(machine)
    return organisation.of(machine)


def _targets(machine: Machine, options: Options) -> Iterator[Target]:
    """More files than setup writes today: all scopes, earlier places, and whatever receipts name."""
    named = [harness_named(name) for name in options.harnesses] or list(HARNESSES.values())
    project = options.project or machine.cwd
    known = receipts.all_receipts(machine.state).receipts
    seen: set[tuple[str, Path]] = set()
    for harness in named:
        places: list[tuple[str, Path]] = [
            (scope, harness.path(machine, scope, project))
            for scope in harness.SCOPES
            if (scope == "managed") is machine.shared
        ]
        first = "managed" if machine.shared else "user"
        places += [(first, path) for path in harness.elsewhere(machine)]
        places += [(one.scope, one.path) for one in known if one.harness == harness.NAME]
        for scope, path in places:
            if (harness.NAME, path) not in seen:
                seen.add((harness.NAME, path))
                yield harness.at(machine, scope, path)


def _rows(machine: Machine, writer: Writer, target: Target, options: Options) -> Iterator[Row]:
    """Nothing for a file without an entry of ours."""
    receipt = receipts.find(machine.state, target.path, target.harness)
    try:
        if options.restore and receipt and not _held_ours(machine, target, receipt):
            action, written = _restore(machine, writer, target, receipt)
        else:
            action, written = "removed", _remove(writer, target, receipt)
        if receipt:
            writer.forget(receipt)
    except Refusal as refusal:
        if is_wired(target):  # what is wrong with a file that does not name us is its own affair
            yield Row(target, "refused", refusal=refusal)
        return
    if written.action != "unchanged":
        yield Row(target, action, written)


def _held_ours(machine: Machine, target: Target, receipt: Receipt) -> bool:
    """An entry of an earlier setup, checked out with dotfiles say: the old bytes would bring it back."""
    try:
        before = backups.load(machine.state, receipt.backup) if receipt.backup else None
        return target.unwire(before, ()).data != before
    except Refusal:
        return False


def _restore(
    machine: Machine, writer: Writer, target: Target, receipt: Receipt
) -> tuple[str, Written]:
    """Newer edits are never overwritten: then only our entry goes."""
    try:
        restored = restoring(machine.state, receipt)
        return "restored", writer.apply(target.path, restored, folders=receipt.folders)
    except Refusal as refusal:
        if refusal.code not in ("changed-since", "no-backup", "damaged-backup"):
            raise
        return "changed-since", _remove(writer, target, receipt)


def _remove(writer: Writer, target: Target, receipt: Receipt | None) -> Written:
    created = _created(receipt)

    def without(data: bytes | None) -> bytes | None:
        rest = target.unwire(data, created).data
        made_by_us = receipt is not None and receipt.before is None
        return None if made_by_us and rest is not None and not rest.strip() else rest

    return writer.apply(target.path, without, folders=receipt.folders if receipt else ())


def _created(receipt: Receipt | None) -> tuple[Created, ...]:
    found = []
    for text in receipt.containers if receipt else ():
        path, before = json.loads(text)
        found.append(Created(tuple(path), before))
    return tuple(found)


def _still_wired(machine: Machine, options: Options) -> list[Target]:
    """Looked up on the disk again: code goes only when no file names it any more."""
    return [target for target in _targets(machine, options) if is_wired(target)]


def _remove_own_files(machine: Machine, options: Options, rows: list[Row]) -> list[str]:
    """Code goes when nothing is wired any more; data too unless it is to be kept or still needed."""
    if any(is_wired(target) for target in _targets(machine, options._replace(harnesses=()))):
        return []
    removed = [machine.data / "guard", machine.data / "policy.json"]
    if not options.keep_data:
        backups_needed = any(row.action == "changed-since" for row in rows)
        kept = {"backups"} if backups_needed else set()
        removed += [policy_file.file_of(machine), *deploy.health_logs(machine)]
        removed += [path for path in machine.state.glob("*") if path.name not in kept]
    # On macOS our folders are one and the same.
    unique = dict.fromkeys(path for path in removed if path != machine.launcher)
    removed = [path for path in unique if os.path.lexists(path)]
    deploy.remove_code(machine)
    for path in removed:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(
            missing_ok=True
        )
    for folder in (machine.config, machine.state):
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()
    return [machine.tilde(path) for path in removed if path.name != "lock"]


def _as_data(machine: Machine, row: Row, options: Options) -> dict[str, Any]:
    return {
        "harness": row.target.harness,
        "scope": row.target.scope,
        "path": str(row.target.path),
        "action": row.action,
        "diff": _diff(machine, row.written) if options.dry_run and row.written else None,
    }


def _diff(machine: Machine, written: Written) -> str:
    return unified(written.target, written.before, written.after, machine.cwd)


WORDS = {
    "removed": "entry removed",
    "restored": "exactly as it was before setup",
    "changed-since": "entry removed; the file has other changes since setup, which were kept",
    "refused": "not changed",
}


def _lines(
    machine: Machine, rows: list[Row], removed: list[str], options: Options
) -> Iterable[str]:
    if options.dry_run:
        yield from (_diff(machine, row.written).removesuffix("\n") for row in rows if row.written)
        return
    for row in rows:
        yield f"{machine.tilde(row.target.path)}: {WORDS[row.action]}"
    if not rows:
        yield "No settings file holds an entry of the guard."
    for name in removed:
        yield f"{name}: removed"
    if removed and machine.launcher.exists():
        name = machine.tilde(machine.launcher)
        yield f"{name}: left, does nothing; running sessions still call it. Delete it when they ended."


def _owners_lines(machine: Machine, options: Options) -> Iterator[str]:
    if not options.dry_run:
        yield from (f"{message.text} {message.fix}" for message in _owners(machine))


def _owners(machine: Machine) -> Iterator[Message]:
    """What is not ours to take away is not to be mistaken for gone."""
    owners = organisation.of(machine)
    if not machine.shared and organisation.is_in_place(owners):
        text = f"The guard that the owner of this machine has put into {owners.data} stays."
        fix = "The owner removes it with `runaway uninstall --scope managed`."
        yield Message("info", "managed-stays", text, None, None, fix)


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
