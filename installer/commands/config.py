"""`runaway config`: the policy in `config.toml`, comments kept, compiled to what the guard reads."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...guard.policy import DEFAULTS
from .. import managed_scope, policy_edit, policy_file
from ..errors import Refusal
from ..files.writer import Commit
from ..machine import Machine
from ..result import Message, Result

SCALARS = ("mode", "spend.session_cap", "spend.day_cap")
KEYS = (*SCALARS, *(f"limits.{rule}" for rule in DEFAULTS))
START = """\
# The policy of runaway. Every line is optional; `runaway config show` prints the effective settings.
# mode = "observe"            # only log what would be stopped
# [spend]
# session_cap = 20.0          # dollars per session; 0 is off
# day_cap = 100.0             # dollars per day over all harnesses
# [limits]                    # note, ask, deny, stop; 0 is never
# "loop.same_call" = [0, 8, 12, 20]
"""


def show(machine: Machine) -> Result:
    """Every setting as the file has it, over the defaults, and what is in force where that differs.

    Of a file that cannot be used only what is in force is shown.
    """
    held = _in_force(machine)
    try:
        values = _values(machine)
    except Refusal as refusal:
        return _only_in_force(refusal, held)
    wanted = {key: _held(values, key) for key in KEYS}
    differing = {key: held[key] for key in KEYS if held and held[key] != wanted[key]}
    lines = [
        f"{key} = {_shown(value)}"
        + (f"  (in force: {_shown(differing[key])})" if key in differing else "")
        for key, value in wanted.items()
    ]
    data = {"values": wanted, "in_force": held}
    return Result(
        "config",
        "ok",
        data=data,
        messages=tuple(_unapplied(machine, differing)),
        lines=tuple(lines),
    )


def _only_in_force(refusal: Refusal, held: dict[str, Any] | None) -> Result:
    messages = (Message("error", refusal.code, refusal.text, fix=refusal.fix or None),)
    lines = [f"{key} = {_shown(value)}  (in force)" for key, value in (held or {}).items()]
    data = {"values": {}, "in_force": held}
    return Result("config", "refused", 1, data=data, messages=messages, lines=tuple(lines))


def _unapplied(machine: Machine, differing: Iterable[str]) -> Iterator[Message]:
    if names := ", ".join(differing):
        name = machine.tilde(machine.config_file)
        text = f"{name} is not in force yet: {names}."
        yield Message("warning", "not-in-force", text, path=name, fix="Run `runaway setup`.")


def _in_force(machine: Machine) -> dict[str, Any] | None:
    """What the person's own guard goes by; None where there is none, or its policy is damaged."""
    if not managed_scope.is_in_place(machine):
        return None
    try:
        policy = managed_scope.policy_of(machine)
    except Refusal:
        return None
    spend = {"session_cap": policy.session_cap, "day_cap": policy.day_cap}
    limits = {rule: [step or 0 for step in steps] for rule, steps in policy.limits.items()}
    mode = policy_file.MODES[policy.observe]
    values = {"mode": mode, "spend": spend, "limits": limits}
    return {key: _held(values, key) for key in KEYS}


def get(machine: Machine, key: str) -> Result:
    value, held = _held(_values(machine), _known(key)), _in_force(machine)
    differing = [key] if held and held[key] != value else []
    messages = tuple(_unapplied(machine, differing))
    data = {"key": key, "value": value}
    return Result("config", "ok", data=data, messages=messages, lines=(_shown(value),))


def path(machine: Machine) -> Result:
    name = str(machine.config_file)
    return Result("config", "ok", data={"path": name}, lines=(name,), exact=True)


def put(machine: Machine, key: str, text: str) -> Result:
    """Set one key and compile; an invalid value changes nothing."""
    value = _parsed(_known(key), text)
    table, _, name = key.partition(".")
    keys = (table, name) if name else (key,)
    shown = machine.tilde(machine.config_file)
    store(machine, lambda data: policy_edit.with_values(data, {keys: value}, shown))
    return Result(
        "config", "changed", data={"key": key, "value": value}, lines=(f"{key} = {text}",)
    )


def store(machine: Machine, transform: Callable[[bytes | None], bytes]) -> None:
    """Change `config.toml`, once the guard's policy can be compiled from the result."""
    config = machine.config_file
    writer = Commit(machine.state)
    writer.heal(config, policy_file.checked)
    compiled = policy_file.compiled(machine, transform(policy_file.read(config)))
    writer.apply(config, transform)
    if machine.launcher.exists():
        policy_file.install(machine, compiled)


def edit(machine: Machine) -> Result:
    """Open the user's editor; what it leaves behind must compile, or the guard keeps its policy."""
    config = machine.config_file
    writer = Commit(machine.state)
    writer.heal(config, policy_file.checked)
    writer.apply(config, lambda data: data if data is not None else START.encode())
    editor = machine.variable("VISUAL") or machine.variable("EDITOR") or "vi"
    before = policy_file.read(config)
    try:
        done = subprocess.run([*shlex.split(editor), os.fspath(config)], check=False)
    except OSError as error:
        text = f"The editor {editor!r} cannot be started: {error.strerror}."
        raise Refusal(text, code="editor", fix="Set EDITOR.") from None
    if done.returncode:
        raise Refusal(f"The editor ended with exit code {done.returncode}.", code="editor")
    after = policy_file.read(config)
    if machine.launcher.exists():
        policy_file.install(machine, policy_file.compiled(machine, after))
    name = machine.tilde(config)
    message = Message("info", "compiled", f"{name} is what the guard follows now.", path=name)
    return Result("config", "unchanged" if before == after else "changed", messages=(message,))


def _values(machine: Machine) -> dict[str, Any]:
    config = machine.config_file
    return policy_file.parse(policy_file.read(config), machine.tilde(config))


def _known(key: str) -> str:
    if key not in KEYS:
        text = f"There is no setting {key!r}; there are: {', '.join(KEYS)}."
        raise Refusal(text, code="unknown-key", usage=True)
    return key


def _held(values: dict[str, Any], key: str) -> Any:
    if key == "mode":
        return values.get("mode", policy_file.MODES[0])
    table, _, name = key.partition(".")
    if table == "limits":
        default = [limit or 0 for limit in DEFAULTS[name]]
        return values.get("limits", {}).get(name, default)
    return values.get("spend", {}).get(name, 0)


def _parsed(key: str, text: str) -> Any:
    """Limits are written as they are shown: `0, 8, 12, 20`."""
    if key == "mode":
        return text
    numbers = text.strip("[] ").split(",") if key.startswith("limits.") else [text]
    try:
        values = [_number(number) for number in numbers]
    except ValueError:
        raise Refusal(f"{text!r} is no number.", code="policy-value", usage=True) from None
    return values if key.startswith("limits.") else values[0]


def _number(text: str) -> int | float:
    return int(text) if text.strip().isdigit() else float(text)


def _shown(value: Any) -> str:
    return ", ".join(f"{one:g}" for one in value) if isinstance(value, list) else str(value)
