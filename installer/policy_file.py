"""The user's policy in `config.toml`, and the `policy.json` that the guard reads, compiled from it."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..guard.dialects import DIALECTS
from ..guard.policy import DEFAULTS
from ..guard.system import USERS_STATE
from .deploy import put
from .errors import Refusal
from .files import exact
from .files.faults import os_errors_as_refusals
from .files.receipts import Receipt, all_receipts
from .machine import CONFIG_NAME, Machine
from .price_overrides import overrides
from .tamper_policy import compiled as compiled_tamper

MODES = ("enforce", "observe")
# Dollars, in the table [spend]; 0 is off. The options of `setup` that store them.
CAPS = {"session_cap": "--spend-cap", "day_cap": "--day-cap"}
STEPS = ("note", "ask", "deny", "stop")
RISING = "in order, no step before a milder one: note ≤ ask ≤ deny ≤ stop (0 is never)"


def read(path: Path) -> bytes | None:
    with os_errors_as_refusals(path, "read"), suppress(FileNotFoundError):
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise Refusal(f"{path} is not a regular file.", code="not-a-file", path=path)
        return path.read_bytes()
    return None


def parse(data: bytes | None, name: str = CONFIG_NAME) -> dict[str, Any]:
    """The checked policy of the user; Refusal names the place of what is wrong."""
    try:
        values = tomllib.loads((data or b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refusal(
            f"{name} is not valid TOML: {error}", code="policy-syntax", fix="Correct it."
        ) from None
    _check(values.get("mode", MODES[0]) in MODES, name, "mode", "one of enforce, observe")
    spend = _table(values, "spend", name)
    for cap in CAPS:
        _check(is_amount(spend.get(cap, 0)), name, f"spend.{cap}", "dollars, 0 or more")
    for rule, limits in _table(values, "limits", name).items():
        _check(rule in DEFAULTS, name, f"limits.{rule}", f"one of {', '.join(DEFAULTS)}")
        whole = isinstance(limits, list) and len(limits) == len(STEPS)
        good = whole and all(is_amount(limit) for limit in limits)
        _check(good, name, f"limits.{rule}", "four numbers: note, ask, deny, stop (0 is never)")
        steps = [limit for limit in limits if limit]
        _check(steps == sorted(steps), name, f"limits.{rule}", RISING)
    for harness, told in _table(values, "harness", name).items():
        key = f"harness.{harness}"
        _check(harness in DIALECTS, name, key, f"one of {', '.join(DIALECTS)}")
        _check(isinstance(told, dict), name, key, "a table")
        _check(told.get("ask", "ask") in ("ask", "deny"), name, f"{key}.ask", "one of ask, deny")
    return values


def checked(data: bytes | None) -> bytes | None:
    """Nothing, of what is a valid policy; Refusal of what is none."""
    parse(data)
    return None


def _table(values: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    table = values.get(key, {})
    _check(isinstance(table, dict), name, key, "a table")
    return dict(table)


def is_amount(value: object) -> bool:
    """Dollars or a count that a policy may hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _check(good: bool, name: str, key: str, wanted: str) -> None:
    if not good:
        text = f"{name}: `{key}` must be {wanted}."
        raise Refusal(text, code="policy-value", fix="Correct it, or run `runaway config edit`.")


def compiled(machine: Machine, data: bytes | None) -> bytes:
    """What the guard reads on every call; `state` is baked in, so no variable can move it.

    A shared guard finds it in the home of whoever it runs as.
    """
    values = parse(data, machine.tilde(machine.config_file))
    spend = values.get("spend", {})
    receipts = all_receipts(machine.state).receipts
    policy = {
        "state": USERS_STATE if machine.shared else str(machine.state),
        "observe": values.get("mode") == "observe",
        "limits": {
            rule: [limit or None for limit in limits]
            for rule, limits in values.get("limits", {}).items()
        },
        **{cap: spend[cap] for cap in CAPS if spend.get(cap)},
        "unasked": _unasked(values),
        "prices": overrides(values, machine.tilde(machine.config_file)),
        "protected": _protected(machine),
        "wired": _wired(receipts),
        "tamper": compiled_tamper(machine, receipts),
        "paused_until": paused_until(machine),
        "stopped": stopped(machine),
    }
    return json.dumps(policy, indent=2).encode()


def _unasked(values: dict[str, Any]) -> list[str]:
    """Harnesses that a person leaves alone: where they would be asked, the call is denied."""
    harnesses = values.get("harness", {})
    return sorted(name for name, told in harnesses.items() if told.get("ask") == "deny")


def _protected(machine: Machine) -> list[str]:
    """Our own folders, in both spellings: a call that names one is for a person to judge."""
    folders = (machine.data, machine.config, machine.state)
    names = [name for folder in folders for name in (str(folder), machine.tilde(folder))]
    return [*dict.fromkeys(names), USERS_STATE] if machine.shared else names


def _wired(receipts: Iterable[Receipt]) -> list[str]:
    """Settings files that hold our entry: rewriting one without it is for a person to judge."""
    return sorted({str(path) for one in receipts for path in (one.path, one.target)})


def paused_until(machine: Machine) -> float:
    """Until when `runaway pause` holds (Unix time); 0 when it does not."""
    try:
        until = float(in_place(machine).get("paused_until", 0))
    except (ValueError, TypeError):
        return 0.0
    return until if until > time.time() else 0.0


def stopped(machine: Machine) -> list[str]:
    """What `runaway stop` has stopped, as guard/halt.py reads it."""
    found = in_place(machine).get("stopped")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def in_place(machine: Machine) -> dict[str, Any]:
    """The compiled policy; empty where there is none, or a damaged one."""
    try:
        policy = json.loads(read(machine.data / "policy.json") or b"{}")
    except (ValueError, RecursionError):
        return {}
    return policy if isinstance(policy, dict) else {}


def install(machine: Machine, policy: bytes) -> bool:
    """Put the compiled policy in place; False when it is there already."""
    path = machine.data / "policy.json"
    if exact.is_file(path, policy):
        return False
    put(machine, path, policy)
    return True
