"""Would a call disarm the guard? What it edits, and what its command does."""

from __future__ import annotations

from ..call import EDIT
from ..wires.tamper import CODE, COMMANDS
from . import edits
from .commands import Look
from .places import Places
from .shell import MAX_TEXT_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..call import Call
    from ..policy import Policy

END = "END OF CODE"
SHELL_ARGUMENTS = ("-c", "-lc", "-ic")


def tampers(call: Call, policy: Policy) -> bool:
    """Would it disarm the guard? Settings files are read from the disk, as they are before the call."""
    places, arguments, cwd = Places(policy), call.arguments, call.cwd or "/"
    if edits.tampers(edits.changes(call.tool, arguments), places, cwd):
        return True
    if call.kind == EDIT:
        return False
    text = _command(arguments)
    if "powershell" in call.tool.lower():
        text = text.replace("\\", "/")
    code = arguments.get(CODE) if isinstance(arguments, dict) else None
    if isinstance(code, str):
        text += "\npython3 <<'" + END + "'\n" + code + "\n" + END
    return bool(text) and Look(places, cwd, text[:MAX_TEXT_CHARACTERS]).tampers()


def _command(arguments: Any) -> str:
    """The text of a shell call; a list of words is quoted, or the script in it taken."""
    found = (arguments.get(name) for name in COMMANDS) if isinstance(arguments, dict) else ()
    command = next((one for one in found if one), "")
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        if len(command) > 2 and command[1] in SHELL_ARGUMENTS:
            return str(command[2])
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    return command if isinstance(command, str) else ""
