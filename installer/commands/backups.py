"""`runaway backups`: the versions that were there before a file was changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from .. import policy_file
from ..durations import age
from ..errors import Refusal
from ..files import backups, receipts
from ..files.backups import Backup
from ..files.writer import Commit
from ..harnesses import known_files
from ..machine import Machine
from ..plan import Target
from ..redact import redact_file
from ..result import Result


def listing(machine: Machine) -> Result:
    found = backups.list_backups(machine.state)
    lines = [f"{one.id[:12]}  {_when(one)}  {one.size:>8}  {_where(machine, one)}" for one in found]
    data = {"backups": [_as_data(one) for one in found]}
    return Result("backups", "ok", data=data, lines=tuple(lines or ["There are no backups."]))


def show(machine: Machine, wanted: str) -> Result:
    """The content, with secrets masked; the file itself is named."""
    one = chosen(machine, wanted)
    text = backups.load(machine.state, one.id).decode("utf-8", "surrogateescape")
    text = redact_file(text, one.path.name if one.path else "")
    return Result(
        "backups",
        "ok",
        data={**_as_data(one), "text": text},
        lines=tuple(text.rstrip("\n").split("\n")),
    )


def restore(machine: Machine, wanted: str) -> Result:
    """Put a version back; what is there now is kept as another backup first.

    Where a backup says it came from is only a claim: it goes to settings of a harness or to our policy.
    """
    one = chosen(machine, wanted)
    if one.path is None:
        text = f"Where backup {one.id[:12]} came from is not known any more."
        raise Refusal(text, code="no-origin", fix=f"Its content is {one.content}.")
    data = backups.load(machine.state, one.id)
    check = _check_for(machine, one.path)
    check(data)
    has_other_names = one.path.is_symlink() or (one.path.exists() and one.path.stat().st_nlink > 1)

    def restored(present: bytes | None) -> bytes:
        """A link may lead to a file that is no settings: that shows in what is there."""
        if has_other_names:
            check(present)
        return data

    written = Commit(machine.state).apply(one.path, restored)
    shown = {**_as_data(one), "action": written.action, "backup": written.backup}
    led = "" if written.target == one.path else f" -> {machine.tilde(written.target)}"
    line = f"{machine.tilde(one.path)}{led}: {written.action}"
    return Result("backups", written.action, data=shown, lines=(line,))


def _check_for(machine: Machine, path: Path) -> Callable[[bytes | None], object]:
    """What raises Refusal for bytes that the file cannot hold; a Refusal itself for a stranger's file."""
    if path == machine.config_file:
        return policy_file.checked
    for target in known_files.targets_at(machine, path, moved=False):
        return partial(_check, target)
    text = f"{machine.tilde(path)} is no settings file of a harness, so nothing is put there."
    fix = "If its folder was moved by a variable, set that variable as it was."
    raise Refusal(text, code="not-settings", fix=fix, path=path)


def _check(target: Target, data: bytes | None) -> None:
    """A file that is ours as a whole holds what setup writes; others what the harness can read."""
    whole = _whole(target)
    if whole is not None and data not in (None, whole):
        text = f"That is not what setup writes to {target.path}."
        fix = "Run `runaway setup`, which makes the file anew."
        raise Refusal(text, code="foreign-plugin", fix=fix, path=target.path)
    target.remove_entry(data, ())


def _whole(target: Target) -> bytes | None:
    """The file that setup makes, where it is ours as a whole: without our entry nothing is left."""
    try:
        made = target.install_entry(None).data
    except Refusal:
        return None
    return made if target.remove_entry(made, ()).data is None else None


def prune(machine: Machine, older_than: float) -> Result:
    """Remove those older than so many seconds, but for those that `uninstall --restore` needs."""
    needed = {one.backup for one in receipts.all_receipts(machine.state).receipts if one.backup}
    before = datetime.now(UTC) - timedelta(seconds=older_than)
    gone = backups.prune(machine.state, before=before, keep=needed)
    line = f"{len(gone)} backups older than {age(older_than)} were removed."
    return Result("backups", "ok", data={"removed": [one.id for one in gone]}, lines=(line,))


def chosen(machine: Machine, wanted: str) -> Backup:
    """The backup of this id, or of the one id that begins like it."""
    found = [
        one for one in backups.list_backups(machine.state) if wanted and one.id.startswith(wanted)
    ]
    if len(found) != 1:
        text = f"{len(found) or 'No'} backups have an id that begins with {wanted!r}."
        raise Refusal(text, code="no-backup", fix="`runaway backups list` shows the ids.")
    return found[0]


def _when(one: Backup) -> str:
    return one.time.isoformat(" ", "seconds") if one.time else "unknown time"


def _where(machine: Machine, one: Backup) -> str:
    return machine.tilde(one.path) if one.path else "unknown file"


def _as_data(one: Backup) -> dict[str, object]:
    return {
        "id": one.id,
        "path": str(one.path) if one.path else None,
        "time": one.time.isoformat() if one.time else None,
        "size": one.size,
    }
