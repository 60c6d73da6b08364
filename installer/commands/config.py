"""`runaway config`: the policy in `config.toml`, comments kept, compiled to what the guard reads."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

import tomlkit

from ...guard.policy import DEFAULTS
from .. import policy_file
from ..errors import Refusal
from ..files.writer import Commit
from ..machine import Machine
from ..result import Message, Result

SCALARS = ("mode", "spend.session_cap", "spend.day_cap")
KEYS = (*SCALARS, *(f"limits.{rule}" for rule in DEFAULTS))
START = """\
# The policy of runaway. Every line is optional; `runaway config show` prints what holds.
# mode = "observe"            # only log what would be stopped
# [spend]
# session_cap = 20.0          # dollars per session; 0 is off
# day_cap = 100.0             # dollars per day over all harnesses
# [limits]                    # note, ask, deny, stop; 0 is never
# "loop.same_call" = [0, 8, 12, 20]
"""


def show(machine: Machine) -> Result:
    """What holds: the file's settings over the defaults."""
    held = {key: _held(_values(machine), key) for key in KEYS}
    lines = [f"{key} = {_shown(value)}" for key, value in held.items()]
    return Result("config", "ok", data={"values": held}, lines=tuple(lines))


def get(machine: Machine, key: str) -> Result:
    value = _held(_values(machine), _known(key))
    return Result("config", "ok", data={"key": key, "value": value}, lines=(_shown(value),))


def path(machine: Machine) -> Result:
    name = str(policy_file.file_of(machine))
    return Result("config", "ok", data={"path": name}, lines=(name,), exact=True)


def put(machine: Machine, key: str, text: str) -> Result:
    """Set one key and compile; an invalid value changes nothing."""
    value = _parsed(_known(key), text)

    def changed(data: bytes | None) -> bytes:
        policy_file.parse(data)
        document = tomlkit.parse((data or b"").decode())
        table, _, name = key.partition(".")
        if name:
            document.setdefault(table, tomlkit.table())[name] = value
        else:
            document[key] = value
        return tomlkit.dumps(document).encode()

    store(machine, changed)
    return Result(
        "config", "changed", data={"key": key, "value": value}, lines=(f"{key} = {text}",)
    )


def store(machine: Machine, transform: Callable[[bytes | None], bytes]) -> None:
    """Change `config.toml`, once the guard's policy can be compiled from the result."""
    config = policy_file.file_of(machine)
    writer = Commit(machine.state)
    writer.heal(config, policy_file.checked)
    compiled = policy_file.compiled(machine, transform(policy_file.read(config)))
    writer.apply(config, transform)
    if machine.launcher.exists():
        policy_file.install(machine, compiled)


def edit(machine: Machine) -> Result:
    """Open the user's editor; what it leaves behind must compile, or the guard keeps its policy."""
    config = policy_file.file_of(machine)
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
    config = policy_file.file_of(machine)
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
