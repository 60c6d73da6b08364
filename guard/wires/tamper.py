"""TAMPER: a call that would change the guard's files, its entries or its state is for a person.

Here is a first look, by words alone, at every call; what a call means is judged in `tampering`, which is
loaded for the few that name something of ours.
"""

from __future__ import annotations

import sys

from ..call import ASK, NO_OPINION, SPAWN, WAIT, WEB, Verdict
from ..system import readlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Context

# What a call names that may concern us, beside what the policy has from the harnesses: our folders and
# those above them, and files that every shell reads.
NAMES = (
    *("runaway", "guard.pyc", ".local", ".config", "/usr/bin/python", "HOME="),
    *("bashrc", ".bash_profile", ".profile", ".zsh", ".zprofile"),
)
# Arguments of tools, whatever the harness: commands, a file that is changed, where it comes from and
# goes to, a patch.
COMMANDS = ("command", "cmd", "script")
CODE = "code"
FILES = (
    *("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file"),
    *("relative_path", "filename", "file", "target"),
)
FROM, TO = ("source", "src", "from", "old_path"), ("destination", "dest", "to", "new_path")
PATCHES = ("command", "patchText", "patch", "input")
UNCLEAR = ("*", "?", "[", "{")  # in a word that may mean a hidden folder
MAX_TEXT_CHARACTERS = 1 << 16  # letters that are looked at


def verdict(case: Context) -> Verdict:
    call, names = case.call, (*NAMES, *case.policy.tamper.get("names", ()))
    if call.kind in (SPAWN, WEB, WAIT) or not _may_tamper(call.arguments, call.cwd, names):
        return NO_OPINION
    from ..tampering.meaning import tampers

    try:
        found = tampers(call, case.policy)
    except Exception as error:  # the other wires must still be asked
        from ..health import note

        note(case.policy.folders, call.harness, error)
        found = False
    return Verdict(ASK, "tamper", 1, case.record[0]) if found else NO_OPINION


def _may_tamper(arguments: object, cwd: str, names: tuple[str, ...]) -> bool:
    if isinstance(arguments, str):
        return _speaks_of_us(arguments, names)
    if not isinstance(arguments, dict):
        return False
    if any(name in cwd for name in names):
        return True
    for argument in (*COMMANDS, CODE):
        command = arguments.get(argument)
        if command and _speaks_of_us(str(command), names):
            return True
    for argument in (*FILES, *FROM, *TO, *PATCHES):
        path = arguments.get(argument)
        if isinstance(path, str) and (_speaks_of_us(path, names) or _is_link(path)):
            return True
    return False


def _speaks_of_us(text: str, names: tuple[str, ...]) -> bool:
    text = text[:MAX_TEXT_CHARACTERS]
    for sign in ("'", '"', "\\"):
        if sign in text:
            text = text.replace(sign, "")
    if any(name in text for name in names):
        return True
    if "~" in text or "HOME" in text:  # a whole home, or a pattern for something hidden there
        return "rm " in text or "mv " in text or any(sign in text for sign in UNCLEAR)
    return sys.executable in text


def _is_link(path: str) -> bool:
    try:
        return bool(readlink(path))
    except (OSError, ValueError):
        return False
