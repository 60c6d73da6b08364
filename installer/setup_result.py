"""What setup did, or would do: one row per file, and what a person and a program are told of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..guard import __version__
from . import colour, diff, in_force
from .errors import Refusal
from .files.writer import DryRun, Written
from .harnesses.base import Scope
from .harnesses.registry import HARNESSES
from .machine import Machine
from .policy_edit import Wishes
from .result import Message, Result

MANAGED_STEPS = ("Sessions that begin from now on run the guard, whoever uses this machine.",)


class Options(NamedTuple):
    """What was asked for; without `harnesses` all detected ones are meant."""

    harnesses: tuple[str, ...] = ()
    scope: Scope = "user"
    project: Path | None = None
    dry_run: bool = False
    check: bool = False
    wishes: Wishes = Wishes()
    trust_codex_hook: bool = False
    refresh: bool = False  # renew what is wired, wherever that is, and wire nothing new
    portable: bool = False  # an entry that finds the launcher of whoever runs it


class Row(NamedTuple):
    """What happens, or would happen, in one harness.

    `refusal` without the action "refused": our entry is in the file, and something failed after that.
    """

    harness: str
    scope: str
    path: Path | None
    action: str  # added, updated, unchanged, refused, not-detected or left-out
    snippet: str = ""
    written: Written | None = None
    refusal: Refusal | None = None


def own_changes(
    machine: Machine, options: Options, rows: list[Row], config: bytes | None, policy: bytes | None
) -> Iterator[str]:
    """What setup would do to our own files; `patch` passes over the lines that are no diff.

    `policy`: as it would be compiled, None where code, launcher and policy are all in place. With an
    entry that would be added `--check` takes code and launcher for granted.
    """
    name = machine.config_file
    written = DryRun().apply(name, lambda _: config)
    if options.dry_run and written.action != "unchanged":
        yield diff.of(machine, written).removesuffix("\n")
    if policy is None:
        return
    if options.dry_run or not any(row.action in ("added", "updated") for row in rows):
        folder = machine.tilde(machine.data)
        yield f"Would put in place: launcher, code and policy of the guard in {folder}"
    if differing := ", ".join(in_force.differing(machine, policy)):
        yield f"Would put in force what {machine.tilde(name)} says: {differing}"


def result(
    machine: Machine, options: Options, rows: list[Row], code_changes: bool, before: str | None
) -> Result:
    """`before`: the version of the guard that was in place."""
    refused = any(row.action == "refused" for row in rows)
    edited = any(row.action in ("added", "updated") for row in rows)
    differs = options.check and (edited or code_changes)
    lines = _dry_lines(machine, rows) if options.dry_run else _lines(machine, options, rows)
    return Result(
        command="setup",
        status="refused" if refused else "changes" if edited or code_changes else "unchanged",
        exit_code=1 if refused or differs else 0,
        data={
            "harnesses": [_as_data(machine, row, options) for row in rows],
            "guard": {"before": before, "after": __version__},
        },
        messages=tuple(_messages(machine, rows, options)),
        lines=(*_renewal(options, before), *lines),
        paint=colour.diff if options.dry_run else colour.plain,
        exact=options.dry_run,
    )


def _renewal(options: Options, before: str | None) -> Iterator[str]:
    """What `--refresh` does to the guard itself; a dry run prints nothing but what `patch` reads."""
    if options.refresh and not options.dry_run:
        yield (
            f"Guard {before or '(none)'} → {__version__}"
            if before != __version__
            else (f"Guard {__version__}")
        )


def _as_data(machine: Machine, row: Row, options: Options) -> dict[str, Any]:
    dry = options.dry_run or options.check
    written = row.written
    next_steps = _next_steps(row, options) if row.action in ("added", "updated") else ()
    return {
        "harness": row.harness,
        "scope": row.scope,
        "path": str(row.path) if row.path else None,
        "action": row.action,
        "backup": written.backup if written else None,
        "diff": diff.of(machine, written)
        if dry and written and written.action != "unchanged"
        else None,
        "next": list(next_steps),
    }


def _next_steps(row: Row, options: Options) -> tuple[str, ...]:
    if options.scope == "managed":
        return MANAGED_STEPS
    harness = HARNESSES[row.harness]
    return () if options.trust_codex_hook and harness.CONSENT else harness.NEXT_STEPS


def _dry_lines(machine: Machine, rows: list[Row]) -> Iterator[str]:
    return diff.dry_lines(machine, [row.written for row in rows if row.written])


def _lines(machine: Machine, options: Options, rows: list[Row]) -> Iterable[str]:
    for row in rows:
        name = HARNESSES[row.harness].DISPLAY
        if row.action == "not-detected":
            yield f"{name}: not found on this machine"
        elif row.action == "left-out":
            yield f"{name}: left out, as before; `runaway setup --harness {row.harness}` adds it"
        elif row.path:
            would = "would be " if options.check and row.action in ("added", "updated") else ""
            yield f"{name}: {would}{row.action} in {_place(machine, row)}"


def _place(machine: Machine, row: Row) -> str:
    """Both names when the settings file is a link."""
    named = machine.tilde(row.path or "")
    target = row.written.target if row.written else row.path
    return named if target == row.path else f"{named} -> {machine.tilde(target or '')}"


def _messages(machine: Machine, rows: list[Row], options: Options) -> Iterable[Message]:
    for row in rows:
        path = machine.tilde(row.path) if row.path else None
        if row.refusal and row.action != "refused":
            yield _trouble(row, row.refusal, path)
        elif row.refusal:
            refusal = row.refusal
            by_hand = (
                f"Or paste this by hand:\n{row.snippet}" if refusal.code == "read-only" else ""
            )
            fix = " ".join(filter(None, (refusal.fix, by_hand))) or None
            yield Message("error", refusal.code, refusal.text, row.harness, path, fix)
        elif row.action == "not-detected":
            text = f"{HARNESSES[row.harness].DISPLAY} was not found on this machine."
            fix = f"Set it up all the same with --harness {row.harness}."
            yield Message("info", "not-detected", text, row.harness, None, fix)
        elif row.action == "left-out":
            text = (
                f"{HARNESSES[row.harness].DISPLAY} is on this machine, but was not chosen before."
            )
            fix = f"Add it with --harness {row.harness}."
            yield Message("info", "left-out", text, row.harness, None, fix)
        elif row.action in ("added", "updated") and not (options.check or options.dry_run):
            for step in _next_steps(row, options):
                yield Message("info", "next-step", step, row.harness, path)


def _trouble(row: Row, refusal: Refusal, path: str | None) -> Message:
    text = f"The guard's entry is in {path}, but something failed after that: {refusal.text}"
    return Message("warning", refusal.code, text, row.harness, path, refusal.fix or None)
