"""`runaway setup`: plan every chosen harness, then write; a refusal in one does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from .. import deploy, managed_scope, policy_edit, policy_file, provenance, setup_result
from ..errors import Refusal
from ..files import exact, receipts
from ..files.writer import Commit, DryRun, Transform, Writer, Written
from ..harnesses import wired
from ..harnesses.base import Harness, Scope
from ..harnesses.registry import HARNESSES, harness_named
from ..interpreter import Interpreter, choose
from ..launcher_check import deployed_version
from ..machine import Machine
from ..plan import Target, holds_entry
from ..result import Result
from ..setup_result import Options, Row

__all__ = ("Options", "run")


def run(machine: Machine, options: Options) -> Result:
    """Compute everything first, so that a refusal is known before the first byte is written."""
    if options.scope == "managed":
        machine = _organisation(machine, options)
    machine = machine._replace(portable=options.portable)
    targets, missing = (
        _refreshed(machine, options) if options.refresh else _targets(machine, options)
    )
    before = deployed_version(machine)
    dry = options.dry_run or options.check
    config = machine.config_file
    writer: Writer = DryRun() if dry else Commit(machine.state)
    _finish_interrupted(machine, writer, targets)
    wanted = policy_edit.with_wishes(
        policy_file.read(config), options.wishes, machine.tilde(config)
    )
    policy = policy_file.compiled(machine, wanted)
    interpreter = choose(machine)
    planned = [_row(machine, DryRun(), target) for target in targets]
    if dry or all(row.action == "refused" for row in planned):
        pending = bool(planned) and _pending(machine, interpreter, policy)
        result = setup_result.result(machine, options, [*planned, *missing], pending, before)
        new = policy if pending else None
        own = setup_result.own_changes(machine, options, planned, wanted, new)
        return replace(result, lines=(*result.lines, *(own if dry else ())))
    with writer, deploy.modes(machine):
        writer.apply(config, lambda _: wanted, default_mode=machine.file_mode)
        deployed = deploy.deploy(machine, interpreter)
        renewed = policy_file.install(machine, policy)
        rows = [
            row if row.action == "refused" else _done(machine, writer, target, row)
            for row, target in zip(planned, targets, strict=True)
        ]
        # Now with the files. The guard works without, and the next setup tries again.
        with suppress(Refusal):
            policy_file.install(machine, policy_file.compiled(machine, wanted))
    if options.trust_codex_hook:
        rows = list(_recorded_by_harness(machine, options, targets, rows))
    changed = deployed.changed or renewed
    return setup_result.result(machine, options, [*rows, *missing], changed, before)


def _organisation(machine: Machine, options: Options) -> Machine:
    """The machine as its owner sees it; whoever only looks need not be the owner."""
    if options.trust_codex_hook:
        text = "What the machine's owner puts in needs nobody's trust: leave that option out."
        raise Refusal(text, code="usage", usage=True)
    if options.portable:
        text = (
            "What the machine's owner puts in names one place for everybody: leave --portable out."
        )
        raise Refusal(text, code="usage", usage=True)
    if not (options.dry_run or options.check):
        managed_scope.refuse_others(machine)
    managed_scope.vouch(managed_scope.of(machine))
    return managed_scope.of(machine)


def _refreshed(machine: Machine, options: Options) -> tuple[list[Target], list[Row]]:
    """What is wired, in every scope that receipts know. Refusal: nothing is."""
    named = [harness_named(name) for name in options.harnesses] or list(HARNESSES.values())
    found = list(wired.entries(machine, named, options.project or machine.cwd))
    if not found:
        text = "There is nothing to renew: no settings file holds an entry of the guard."
        raise Refusal(text, code="nothing-wired", fix="Run `runaway setup`.")
    return found, []


def _targets(machine: Machine, options: Options) -> tuple[list[Target], list[Row]]:
    """The files of the chosen harnesses; named ones are set up even where they are not installed."""
    named = [harness_named(name) for name in dict.fromkeys(options.harnesses)]
    known = named or list(HARNESSES.values())
    meant = [one for one in known if named or _is_meant(one, machine, options.scope)]
    before = wired.chosen_before(machine, options.scope)
    chosen = [one for one in meant if named or not before or one.NAME in before]
    missing = [
        Row(one.NAME, options.scope, None, "left-out" if one in meant else "not-detected")
        for one in known
        if one not in chosen
    ]
    project = options.project or machine.cwd
    targets = [it for one in chosen for it in _targets_of(one, machine, options.scope, project)]
    if options.trust_codex_hook:
        targets = [
            one
            for target in targets
            for one in HARNESSES[target.harness].consent_targets(machine, target)
        ]
    return targets, missing


def _is_meant(harness: Harness, machine: Machine, scope: Scope) -> bool:
    """Without a choice: those on this machine that have such a scope."""
    return scope in harness.SCOPES and harness.detect(machine) is not None


def _targets_of(
    harness: Harness, machine: Machine, scope: Scope, project: Path
) -> Iterator[Target]:
    first = _target(harness, machine, scope, project)
    yield first
    for path in harness.further_paths(machine, scope):
        if path != first.path:
            yield harness.edit_target(machine, scope, path)


def _target(harness: Harness, machine: Machine, scope: Scope, project: Path) -> Target:
    if scope not in harness.SCOPES:
        text = f"{harness.DISPLAY} has no scope `{scope}`; it has: {', '.join(harness.SCOPES)}."
        raise Refusal(text, code="unknown-scope", usage=True)
    if not project.is_dir():
        raise Refusal(f"There is no folder {project}.", code="no-project", usage=True)
    return harness.edit_target(machine, scope, harness.path(machine, scope, project))


def _recorded_by_harness(
    machine: Machine, options: Options, targets: list[Target], rows: list[Row]
) -> Iterator[Row]:
    """What we cannot edit with proof, the harness may: then it writes the record of consent itself."""
    project = options.project or machine.cwd
    for index, row in enumerate(rows):
        entry, harness = rows[index - 1], HARNESSES[row.harness]  # the record stands behind it
        left = harness.CONSENT.left_to_it if harness.CONSENT else ()
        is_left = row.refusal is not None and row.refusal.code in left
        is_record = row.harness == entry.harness and not entry.refusal
        done = (
            is_left and is_record and harness.record_consent(machine, targets[index - 1], project)
        )
        yield row._replace(action="added", refusal=None) if done else row


def _finish_interrupted(machine: Machine, writer: Writer, targets: list[Target]) -> None:
    """A killed run may have left a file half written in place: nothing could be planned from that."""
    edits: list[tuple[Path, Transform]] = [(machine.config_file, policy_file.checked)]
    edits += [(target.path, _entry_of(target)) for target in targets]
    for path, edit in edits:
        with suppress(Refusal):  # what is wrong with the path is told when it is planned
            writer.heal(path, edit)


def _done(machine: Machine, writer: Writer, target: Target, planned: Row) -> Row:
    """What was planned, done. What fails once our entry is in the file is told, but no refusal."""
    row = _row(machine, writer, target)
    if row.action == "refused" and _is_in_place(target):
        return planned._replace(refusal=row.refusal)
    return row


def _is_in_place(target: Target) -> bool:
    try:
        data = target.path.read_bytes()
        return holds_entry(target, data) and target.install_entry(data).data == data
    except (OSError, Refusal):
        return False


def _row(machine: Machine, writer: Writer, target: Target) -> Row:
    """One file written (or only planned), with its receipt; expected failures become part of it."""

    def record(written: Written) -> None:
        earlier = receipts.find(machine.state, written.path, target.harness)
        writer.record(provenance.receipt_for(target, written, earlier))

    try:
        written = writer.apply(
            target.path, _entry_of(target), default_mode=machine.file_mode, record=record
        )
        if written.action == "unchanged":
            _list_beside(machine, writer, target)
    except Refusal as refusal:
        return Row(*target[:3], "refused", target.snippet(), refusal=refusal)
    return Row(*target[:3], _action(written, target), written=written)


def _list_beside(machine: Machine, writer: Writer, target: Target) -> None:
    """A harness whose entry another one's setup has written is listed with it: a receipt of its own."""
    if receipts.find(machine.state, target.path, target.harness) is None:
        for other in receipts.others(machine.state, target.path, target.harness)[:1]:
            writer.record(other._replace(harness=target.harness))


def _entry_of(target: Target) -> Transform:
    return lambda data: target.install_entry(data).data


def _action(written: Written, target: Target) -> str:
    """A file of which uninstall would take nothing had no entry of ours before."""
    if written.action == "unchanged":
        return "unchanged"
    return "updated" if holds_entry(target, written.before) else "added"


def _pending(machine: Machine, interpreter: Interpreter, policy: bytes) -> bool:
    """Would code, launcher or policy be renewed?"""
    current = exact.is_file(machine.data / "policy.json", policy)
    return not (current and deploy.is_current(machine, interpreter))
