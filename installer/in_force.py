"""What the guard goes by at present, for the doctor: its policy, pauses, sessions lifted by a person."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import managed_scope, policy_file, tamper_policy
from .durations import age
from .errors import Refusal
from .files import exact
from .harnesses.base import Check
from .harnesses.registry import HARNESSES
from .machine import Machine
from .sessions import Session, prefixes

COMMANDED = ("paused_until", "stopped")  # by `pause` and `stop`, not by config.toml
ADDED_TO = ("wired", "tamper")  # to these the policy may have more than is known today


def policy_checks(machine: Machine, rerun: str) -> Iterator[Check]:
    """Is policy.json what config.toml says? Silent where it is, or where no guard is in place."""
    path = machine.data / "policy.json"
    if not managed_scope.is_in_place(machine) or _is_the_owners(machine, path):
        return
    try:
        # Setup may have known of a folder by a variable that is not set today.
        plain = machine._replace(environ={})
        wanted = json.loads(policy_file.compiled(plain, _config(machine)))
        held = policy_file.read(path)
    except Refusal as refusal:
        yield Check("", "installed.policy", "error", refusal.text, refusal.fix)
        return
    name = machine.tilde(path)
    problem = f"{name} is missing" if held is None else ""
    if held is not None and not exact.is_file(path, held):
        problem = f"{name} can be changed by others, or is a link"
    elif held is not None and _values(held) is None:
        problem = f"{name} is damaged"
    elif held is not None and (different := _different(wanted, held)):
        config = machine.tilde(machine.config_file)
        problem = f"The policy in force differs from {config}: {', '.join(different)}"
    if problem:
        yield Check("", "installed.policy", "error", f"{problem}.", rerun)


def _is_the_owners(machine: Machine, path: Path) -> bool:
    """Whoever may not change a shared policy may not read all that it is compiled from either."""
    try:
        return machine.shared and path.stat().st_uid != os.geteuid()
    except OSError:
        return False


def _config(machine: Machine) -> bytes | None:
    return policy_file.read(machine.config_file)


def _values(held: bytes) -> dict[str, Any] | None:
    """The policy in force as it lies there; None where it is damaged."""
    try:
        policy = json.loads(held)
    except (ValueError, RecursionError):
        return None
    return policy if isinstance(policy, dict) else None


def differing(machine: Machine, compiled: bytes) -> tuple[str, ...]:
    """The settings of a compiled policy that are not those in force; none before the first setup."""
    held = policy_file.read(machine.data / "policy.json")
    return () if held is None else _different(json.loads(compiled), held)


def _different(wanted: dict[str, Any], held: bytes) -> tuple[str, ...]:
    """The keys that differ; how long a pause lasts and what is stopped is the policy's alone."""
    policy = _values(held) or {}
    keys = [key for key in dict.fromkeys((*wanted, *policy)) if key not in COMMANDED]
    return tuple(key for key in keys if not _agree(key, wanted.get(key), policy.get(key)))


def _agree(key: str, wanted: object, held: object) -> bool:
    return tamper_policy.holds(held, wanted) if key in ADDED_TO else wanted == held


def stopped(scopes: Sequence[str], seen: Sequence[Session]) -> Iterator[tuple[str, str]]:
    """What a person has stopped, and the command that lets it go on."""
    short = prefixes(seen)
    for one in scopes:
        harness, _, session = one.partition(":")
        display = HARNESSES[harness].DISPLAY if harness in HARNESSES else harness
        if session:
            id = short.get(session, session)
            yield f"session {id} of {display}", f"runaway start --session {id}"
        elif harness:
            yield display, f"runaway start --harness {harness}"
        else:
            yield "every agent", "runaway start"


def stopped_checks(scopes: Sequence[str], seen: Sequence[Session]) -> Iterator[Check]:
    for what, command in stopped(scopes, seen):
        message = f"You have stopped {what}: no call runs."
        yield Check("", "fires.stopped", "warning", message, f"`{command}` lets it go on.")


def lifted(seen: Sequence[Session], now: float) -> Iterator[tuple[Session, str]]:
    """The sessions in which a person has lifted something, and what."""
    for one in seen:
        if now < one.lifted_until:
            yield one, f"nothing is stopped in it for another {age(one.lifted_until - now)}"
        elif one.added > 0:
            yield one, f"its cap was raised by ${one.added:.2f}"


def lifted_checks(paused_until: float, seen: Sequence[Session], now: float) -> Iterator[Check]:
    if now < paused_until:
        message = f"The guard is paused for another {age(paused_until - now)}: it blocks nothing."
        yield Check("", "fires.paused", "warning", message, "Run `runaway pause --off`.")
    short = prefixes(seen)
    for one, what in lifted(seen, now):
        message = f"Session {short[one.session]} of {one.harness}: {what}."
        if now < one.lifted_until:
            fix = f"`{resume_command(short[one.session])} --for 1s` ends it."
            yield Check("", "fires.lifted", "warning", message, fix)
        else:
            yield Check("", "fires.lifted", "info", message)


def resume_command(session: str) -> str:
    """What lets a session go on, by the beginning of its id."""
    return f"runaway resume --session {shlex.quote(session)}"
