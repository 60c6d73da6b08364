"""`runaway backups`: the versions that were there before a file was changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from runaway.installer.errors import Refusal
from runaway.installer.files import backups, receipts
from runaway.installer.files.backups import Backup
from runaway.installer.files.writer import Commit
from runaway.installer.machine import Machine
from runaway.installer.redact import redact_file
from runaway.installer.result import Result
from runaway.installer.words import age


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
    """Put a version back; what is there now is kept as another backup first."""
    one = chosen(machine, wanted)
    if one.path is None:
        text = f"Where backup {one.id[:12]} came from is not known any more."
        raise Refusal(text, code="no-origin", fix=f"Its content is {one.content}.")
    data = backups.load(machine.state, one.id)
    written = Commit(machine.state).apply(one.path, lambda _: data)
    shown = {**_as_data(one), "action": written.action, "backup": written.backup}
    line = f"{machine.tilde(one.path)}: {written.action}"
    return Result("backups", written.action, data=shown, lines=(line,))


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
