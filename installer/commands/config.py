"""`runaway config`: the policy in `config.toml`, comments kept, compiled to what the guard reads."""

from __future__ import annotations

import math
import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from .. import managed_scope, policy_edit, policy_file, policy_keys
from ..errors import Refusal
from ..files.writer import Commit
from ..machine import Machine
from ..result import Message, Result

KEYS = tuple(policy_keys.ABOUT)
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
    wanted = {key: policy_keys.value(values, key) for key in KEYS}
    differing = {key: held[key] for key in KEYS if held and held[key] != wanted[key]}
    lines = [
        f"{key} = {policy_keys.shown(value)}"
        + (f"  (in force: {policy_keys.shown(differing[key])})" if key in differing else "")
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
    lines = [
        f"{key} = {policy_keys.shown(value)}  (in force)" for key, value in (held or {}).items()
    ]
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
    return {key: policy_keys.value(values, key) for key in KEYS}


def get(machine: Machine, key: str) -> Result:
    value, held = policy_keys.value(_values(machine), policy_keys.known(key)), _in_force(machine)
    differing = [key] if held and held[key] != value else []
    messages = tuple(_unapplied(machine, differing))
    data = {"key": key, "value": value}
    return Result("config", "ok", data=data, messages=messages, lines=(policy_keys.shown(value),))


def path(machine: Machine) -> Result:
    name = str(machine.config_file)
    return Result("config", "ok", data={"path": name}, lines=(name,), exact=True)


def put(machine: Machine, key: str, text: str) -> Result:
    """Set one key and compile; an invalid value changes nothing."""
    value = _parsed(policy_keys.known(key), text)
    name, keys = machine.tilde(machine.config_file), policy_keys.path(key)
    store(machine, lambda data: policy_edit.with_values(data, {keys: value}, name))
    return _changed(key, value)


def unset(machine: Machine, key: str) -> Result:
    """Take one key out of the file: its default holds again."""
    if not policy_keys.is_set(_values(machine), policy_keys.known(key)):
        line = f"{key} is not set; its default is {policy_keys.shown(policy_keys.default(key))}."
        data = {"key": key, "value": policy_keys.default(key)}
        return Result("config", "unchanged", data=data, lines=(line,))
    name, keys = machine.tilde(machine.config_file), policy_keys.path(key)
    store(machine, lambda data: policy_edit.without(data, keys, name))
    return _changed(key, policy_keys.default(key))


def _changed(key: str, value: Any) -> Result:
    line = f"{key} = {policy_keys.shown(value)}"
    return Result("config", "changed", data={"key": key, "value": value}, lines=(line,))


def explain(machine: Machine, key: str) -> Result:
    """What a key does, its value, where that comes from, and its default."""
    values, held = _values(machine), _in_force(machine)
    value = policy_keys.value(values, policy_keys.known(key))
    default, name = policy_keys.default(key), machine.tilde(machine.config_file)
    source = name if policy_keys.is_set(values, key) else "default"
    differing = [key] if held and held[key] != value else []
    lines = (
        policy_keys.ABOUT[key],
        *((policy_keys.STEPS,) if isinstance(default, list) else ()),
        f"  value    {policy_keys.shown(value)}",
        f"  from     {source}",
        f"  default  {policy_keys.shown(default)}",
    )
    data = {
        "key": key,
        "about": policy_keys.ABOUT[key],
        "value": value,
        "source": source,
        "default": default,
    }
    messages = tuple(_unapplied(machine, differing))
    return Result("config", "ok", data=data, messages=messages, lines=lines)


def store(machine: Machine, transform: Callable[[bytes | None], bytes]) -> None:
    """Change `config.toml`, once the guard's policy can be compiled from the result."""
    config = machine.config_file
    writer = Commit(machine.state)
    writer.heal(config, policy_file.checked)
    compiled = policy_file.compiled(machine, transform(policy_file.read(config)))
    writer.apply(config, transform)
    if machine.launcher.exists():
        policy_file.install(machine, compiled)


def edit(machine: Machine, again: Callable[[Refusal], bool]) -> Result:
    """Open the person's editor until what it leaves behind compiles, or the person gives up.

    `again` tells the mistake and asks; meanwhile the guard keeps the policy it has.
    """
    config = machine.config_file
    writer = Commit(machine.state)
    writer.heal(config, policy_file.checked)
    writer.apply(config, lambda data: data if data is not None else START.encode())
    before = policy_file.read(config)
    while True:
        _open_editor(machine, config)
        try:
            after = policy_file.read(config)
            compiled = policy_file.compiled(machine, after)
            break
        except Refusal as mistake:
            if not again(mistake):
                raise
    if machine.launcher.exists():
        policy_file.install(machine, compiled)
    name = machine.tilde(config)
    message = Message("info", "compiled", f"{name} is in force now.", path=name)
    return Result("config", "unchanged" if before == after else "changed", messages=(message,))


def _open_editor(machine: Machine, file: Path) -> None:
    editor = machine.variable("VISUAL") or machine.variable("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(editor), os.fspath(file)], check=False)
    except (OSError, ValueError) as error:
        text = f"The editor {editor!r} cannot be started: {error}."
        raise Refusal(text, code="editor", fix="Set EDITOR.") from None
    if done.returncode:
        raise Refusal(f"The editor ended with exit code {done.returncode}.", code="editor")


def _values(machine: Machine) -> dict[str, Any]:
    config = machine.config_file
    return policy_file.parse(policy_file.read(config), machine.tilde(config))


def _parsed(key: str, text: str) -> Any:
    """Limits are written as they are shown: `0, 8, 12, 20`."""
    if key == "mode":
        return text
    numbers = text.strip("[] ").split(",") if key.startswith("limits.") else [text]
    try:
        values = [_number(number) for number in numbers]
    except ValueError:
        text = f"{key} takes {'four numbers' if len(numbers) > 1 else 'a number'}, not {text!r}."
        raise Refusal(text, code="policy-value", usage=True) from None
    return values if key.startswith("limits.") else values[0]


def _number(text: str) -> int | float:
    number = int(text) if text.strip().isdigit() else float(text)
    if not math.isfinite(number):
        raise ValueError
    return number
