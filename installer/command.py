"""The command string that harnesses run: how it is written, and how ours is told from others."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import NamedTuple

from runaway.installer.errors import Refusal

# Measured under dash, bash, zsh, fish, ksh, mksh and busybox, with pipe and here-document input: a
# missing, unreadable or broken launcher gives exit code 0 and no output.
SCRIPT = 'command . "$0" 2>/dev/null || true'
LAUNCHER_NAME = "launch"
FOLDER_NAME = "runaway"


class Registered(NamedTuple):
    """A command of ours, parsed."""

    launcher: Path
    harness: str


def command_for(launcher: Path, harness: str) -> str:
    """The same short string in every settings file of this machine, whatever the shell.

    Refusal `undecodable-path`: JSON is text, it cannot name a file whose name is not.
    """
    try:
        place = os.fsencode(launcher).decode()  # the locale does not matter
    except UnicodeDecodeError:
        text = f"No settings file can name {str(launcher)!a}: that is not valid UTF-8."
        fix = "Set XDG_DATA_HOME to a folder with a name in UTF-8."
        raise Refusal(text, code="undecodable-path", fix=fix) from None
    return f"sh -c {shlex.quote(SCRIPT)} {quote(place)} {harness}"


def quote(text: str) -> str:
    """Always quoted, so that paths with and without blanks look alike.

    Some harnesses replace `$NAME` in every text of their settings: no `$` stands before a letter.
    """
    return "'" + text.replace("'", "'\\''").replace("$", "$''") + "'"


def may_name(data: bytes) -> bool:
    """Could these bytes, which need not be a valid document, hold a command of ours?"""
    plain = data.replace(b"\0", b"").replace(b"\\/", b"/")  # UTF-16, an escaped slash
    return f"{FOLDER_NAME}/{LAUNCHER_NAME}".encode() in plain


def parse(command: object) -> Registered | None:
    """What a command string of ours names, or None: compared as parsed words, never by substring."""
    if not isinstance(command, str):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if len(words) != 5 or words[:3] != ["sh", "-c", SCRIPT]:
        return None
    launcher = Path(os.fsdecode(words[3].encode(errors="surrogatepass")))
    return Registered(launcher, words[4]) if is_launcher(launcher) else None


def is_launcher(path: Path) -> bool:
    return path.name == LAUNCHER_NAME and path.parent.name == FOLDER_NAME
