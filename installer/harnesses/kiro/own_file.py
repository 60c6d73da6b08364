"""Our file among Kiro's hooks: ours as a whole, by its commands.

{"version": "v1", "hooks": [{"name", "trigger", "action": {"type", "command"}, "timeout", "enabled"}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ... import launch_command
from ...documents import json_document
from ...documents.json_document import Document
from ...documents.values import Created
from ...errors import Refusal
from ...machine import Machine
from ...plan import Rewrite, Target
from ..load import Problem
from . import paths
from .validation import RULES

VERSION = "v1"
FOREIGN = "is not the file that setup writes: somebody else's, or changed since."


def target(machine: Machine, scope: str, path: Path) -> Target:
    """How the file is edited: it is ours as a whole, there or not there."""
    name = machine.tilde(path)
    return Target(
        paths.NAME,
        scope,
        path,
        install_entry=partial(_install, machine=machine, name=name),
        remove_entry=partial(_remove, name=name),
        snippet=lambda: text(machine).decode(),
    )


def contents(machine: Machine) -> dict[str, Any]:
    """As setup writes it today."""
    launcher = launch_command.named_launcher(machine, "user")
    command = launch_command.command_for(launcher, paths.NAME)
    return {"version": VERSION, "hooks": [_hook(event, command) for event in paths.EVENTS]}


def text(machine: Machine) -> bytes:
    return json.dumps(contents(machine), indent=2, ensure_ascii=False).encode() + b"\n"


def _hook(event: str, command: str) -> dict[str, Any]:
    """Without a matcher: for every tool. `timeout` in seconds."""
    action = {"type": "command", "command": command}
    return {
        "name": f"runaway {event}",
        "trigger": event,
        "action": action,
        "timeout": paths.TIMEOUT,
        "enabled": True,
    }


def commands(value: Any) -> Iterator[tuple[str, object]]:
    """(trigger, command) of each hook; ("", None) for what is none."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    for hook in hooks if isinstance(hooks, list) else ():
        action = hook.get("action") if isinstance(hook, dict) else None
        command = action.get("command") if isinstance(action, dict) else None
        yield (str(hook.get("trigger")), command) if command else ("", None)


def is_ours(value: Any) -> bool:
    """Nothing but hooks that start the guard."""
    found = [launch_command.parse(command) for _, command in commands(value)]
    return bool(found) and all(one and one.harness == paths.NAME for one in found)


def is_equal(machine: Machine, value: Any) -> bool:
    """Today's, but for how the launcher's place is written."""
    wanted, found = contents(machine), list(commands(value))
    by_home = [
        launch_command.same_place(one, machine) for _, one in found
    ]  # fmt: skip
    for (_, command), same in zip(found, by_home, strict=True):
        if same:
            value = _replaced(value, command, wanted["hooks"][0]["action"]["command"])
    return bool(value == wanted)


def _replaced(value: Any, old: object, new: str) -> Any:
    hooks = [
        {**hook, "action": {**hook["action"], "command": new}}
        if hook["action"]["command"] == old
        else hook
        for hook in value["hooks"]
    ]
    return {**value, "hooks": hooks}


def problems(document: Document) -> Iterator[Problem]:
    """What makes Kiro pass the file over, as far as its documents tell."""
    if not isinstance(document.value, dict):
        yield Problem((), "the top level is not an object")
    elif not isinstance(document.value.get("hooks"), list):
        yield Problem(("hooks",), "it must be a list")


def _value(data: bytes, name: str) -> Any:
    return json_document.parse(data, RULES, name).value


def _install(data: bytes | None, machine: Machine, name: str) -> Rewrite:
    """Refuses to replace what is not ours."""
    if data is None or not data.strip():
        return Rewrite(text(machine))
    value = _value(data, name)
    for _, command in commands(value):
        if launch_command.is_changed(command):
            says = f"{name} starts the guard in a form that setup does not write: `{command}`."
            fix = "Take that entry out, or keep it as it is; setup puts no second one beside it."
            raise Refusal(says, code="changed-entry", fix=fix)
    if not is_ours(value):
        raise Refusal(f"{name} {FOREIGN}", code="foreign-file", fix="Look at it, and move it away.")
    return Rewrite(data if is_equal(machine, value) else text(machine))


def _remove(data: bytes | None, _created: tuple[Created, ...], name: str) -> Rewrite:
    """The file goes; one that is not ours alone is for a person to look at."""
    if data is None or not data.strip():
        return Rewrite(data)
    if is_ours(_value(data, name)):
        return Rewrite(None)
    found = [launch_command.parse(command) for _, command in commands(_value(data, name))]
    if any(one and one.harness == paths.NAME for one in found):
        raise Refusal(f"{name} {FOREIGN}", code="foreign-file", fix="Look at it, and delete it.")
    return Rewrite(data)
