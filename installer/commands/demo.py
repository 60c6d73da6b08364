"""`runaway demo`: the whole cycle in a scratch home that is made and removed; needs no agent."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .. import colour, self_test
from ..errors import Refusal
from ..launch_command import command_for
from ..machine import Machine, scratch_machine
from ..result import Result
from . import doctor, setup, uninstall

# As people have it: four spaces, an inline block, a hook of their own.
SETTINGS = b"""{
    "model": "opus",
    "permissions": { "allow": ["Bash(git status)"] },
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "my-own-check" }] }
        ]
    }
}
"""
CALLS = 24
CHOSEN = ("claude",)


def run(say: Callable[[str], None]) -> Result:
    """Every step is the real command on another machine: one whose home is a temporary folder."""
    home = Path(tempfile.mkdtemp(prefix="runaway-demo-")).resolve()
    try:
        identical = _cycle(scratch_machine(home), say)
    finally:
        shutil.rmtree(home)
    if not identical:
        raise Refusal("The settings file is not what it was before setup.", code="demo-failed")
    return Result("demo", "ok", data={"identical": True})


def _cycle(machine: Machine, say: Callable[[str], None]) -> bool:
    settings = machine.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(SETTINGS)
    say(f"A scratch home: {machine.home}, with a ~/.claude/settings.json as people have it.\n")
    _step("runaway setup --non-interactive --harness claude --dry-run", say)
    _show(setup.run(machine, setup.Options(CHOSEN, dry_run=True)), say)
    _step("runaway setup --non-interactive --harness claude", say)
    _show(setup.run(machine, setup.Options(CHOSEN)), say)
    _step("a session in which the model repeats one command, unattended", say)
    _loop(machine, say)
    _step("runaway doctor --harness claude", say)
    _show(doctor.run(machine, doctor.Options(CHOSEN), progress=lambda _: None), say)
    _step("runaway uninstall --restore --yes", say)
    _show(uninstall.run(machine, uninstall.Options(CHOSEN, restore=True)), say)
    identical = settings.read_bytes() == SETTINGS
    say(f"~/.claude/settings.json is {'byte for byte' if identical else 'NOT'} what it was.")
    return identical


def _step(title: str, say: Callable[[str], None]) -> None:
    say(f"\n$ {title}" if title.startswith("runaway") else f"\n# {title}")


def _show(result: Result, say: Callable[[str], None]) -> None:
    paint = result.paint if colour.wanted(sys.stdout) else colour.plain
    for line in result.lines:
        say(paint(line))
    for message in result.messages:
        if message.level == "error":
            raise Refusal(f"{result.command}: {message.text}", code="demo-failed")


def _loop(machine: Machine, say: Callable[[str], None]) -> None:
    """What the harness does: the registered string through a shell, once per tool call."""
    command = command_for(machine.launcher, "claude")
    silent = 0
    for number in range(1, CALLS + 1):
        _, output = self_test.answer(command, _payload(number))
        if not output:
            silent += 1
            continue
        reply = json.loads(output)
        if number == silent + 1 or reply.get("continue") is False:
            say(f"calls 1 to {silent}: no opinion" if number == silent + 1 else "...")
            say(f"call {number}: {reply['hookSpecificOutput']['permissionDecisionReason']}")
        if reply.get("continue") is False:
            say(f"call {number} ended the turn: the model is asked no more.")
            return


def _payload(number: int) -> bytes:
    payload = {
        "session_id": "demo",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test", "description": f"Run the tests, try {number}"},
        "tool_use_id": f"toolu_{number}",
    }
    return json.dumps(payload).encode()
