"""`runaway statusline`: what to paste into Claude Code's settings to see the guard's state there."""

from __future__ import annotations

import json

from ..errors import Refusal
from ..launch_command import command_for
from ..machine import Machine
from ..result import Result

WORD = "statusline"  # for which the launcher starts guard/statusline.py


def run(machine: Machine) -> Result:
    """The command that is run after each message costs what the guard costs: one start of Python."""
    if not machine.launcher.exists():
        text = "The guard is not installed on this machine."
        raise Refusal(text, code="not-installed", fix="Run `runaway setup`.")
    command = command_for(machine.launcher, WORD)
    snippet = {"statusLine": {"type": "command", "command": command}}
    shown = json.dumps(snippet, indent=2, ensure_ascii=False)
    return Result("statusline", "ok", data={"snippet": snippet}, lines=tuple(shown.split("\n")))
