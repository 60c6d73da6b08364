"""The command string that harnesses run: how it is written, and how ours is told from others."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import NamedTuple

from ..guard.dialects import DIALECTS
from ..guard.tampering.registered import (
    BY_CODE,
    DENIAL_CODES,
    EARLIER,
    LAUNCHER,
    PORTABLE,
    PORTABLE_BY_CODE,
    TODAY,
)
from .errors import Refusal
from .machine import Machine

STARTS = tuple(tuple(shlex.split(start)) for start in (TODAY, BY_CODE, *EARLIER))
STARTERS = frozenset(("exec", "sh", "bash", "dash", "zsh", "ksh", "env", "command", ".", "source"))
STARTERS |= {"timeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "sudo"}
FOLDER_NAME, _, LAUNCHER_NAME = LAUNCHER.partition("/")
ANY_HOME = Path("~", LAUNCHER)  # the launcher that the portable command names: of whoever runs it
PORTABLE_STARTS = tuple(tuple(shlex.split(start)) for start in (PORTABLE, PORTABLE_BY_CODE))
DATA_FOLDERS = (Path(".local/share"), Path("Library/Application Support"))  # below a home


class Registered(NamedTuple):
    """A command of ours, parsed."""

    launcher: Path
    harness: str


def command_for(launcher: Path, harness: str) -> str:
    """The same short string in every settings file of this machine but Kiro's, whatever the shell.

    For ANY_HOME it is the same on every machine. Refusal `undecodable-path`: JSON is text, it cannot
    name a file whose name is not.
    """
    today, anywhere = (BY_CODE, PORTABLE_BY_CODE) if harness in DENIAL_CODES else (TODAY, PORTABLE)
    return f"{anywhere} {harness}" if launcher == ANY_HOME else _command(today, launcher, harness)


def commands_for(launcher: Path, harness: str) -> tuple[str, ...]:
    """Today's command, those that earlier releases wrote, and the portable one."""
    own = (_command(start, launcher, harness) for start in (TODAY, *EARLIER))
    return (*own, command_for(ANY_HOME, harness))


def named_launcher(machine: Machine, scope: str) -> Path:
    """What an entry in a file of this scope names: a project's file is for everybody who checks it out.

    Refusal `not-portable` where the portable command would not find our launcher.
    """
    if not (machine.portable or scope == "project"):
        return machine.launcher
    if is_at_home(machine):
        return ANY_HOME
    if scope == "project":
        return machine.launcher
    text = f"The portable entry would not find {machine.tilde(machine.launcher)}."
    raise Refusal(text, code="not-portable", fix="Leave --portable out.")


def is_at_home(machine: Machine) -> bool:
    """Does the portable command find our launcher?"""
    moved = machine.variable("XDG_DATA_HOME")
    first = Path(moved) if moved else machine.home / DATA_FOLDERS[0]
    return machine.launcher in (first / LAUNCHER, machine.home / DATA_FOLDERS[1] / LAUNCHER)


def of_another_home(machine: Machine, launcher: Path) -> bool:
    """Is it where another person, or another machine with the same settings, has its launcher?"""
    if launcher in (machine.launcher, ANY_HOME) or machine.home in launcher.parents:
        return False
    folders = DATA_FOLDERS if launcher.is_absolute() else ()
    return any(launcher.parts[-4:] == (*one.parts, *LAUNCHER.split("/")) for one in folders)


def _command(start: str, launcher: Path, harness: str) -> str:
    try:
        place = os.fsencode(launcher).decode()  # the locale does not matter
    except UnicodeDecodeError:
        text = f"No settings file can name {str(launcher)!a}: that is not valid UTF-8."
        fix = "Set XDG_DATA_HOME to a folder with a name in UTF-8."
        raise Refusal(text, code="undecodable-path", fix=fix) from None
    return f"{start} {quote(place)} {harness}"


def quote(text: str) -> str:
    """Always quoted, so that paths with and without blanks look alike.

    Some harnesses replace `$NAME` in every text of their settings: no `$` stands before a letter.
    """
    return "'" + text.replace("'", "'\\''").replace("$", "$''") + "'"


def may_name(data: bytes) -> bool:
    """Could these bytes, which need not be a valid document, hold a command of ours?"""
    plain = data.replace(b"\0", b"").replace(b"\\/", b"/")  # UTF-16, an escaped slash
    return LAUNCHER.encode() in plain


def parse(command: object) -> Registered | None:
    """What a command string of ours names, or None: compared as parsed words, never by substring."""
    if not isinstance(command, str):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    *start, place, harness = words if len(words) > 2 else ("", "")
    launcher = Path(os.fsdecode(place.encode(errors="surrogatepass")))
    if (*start, place) in PORTABLE_STARTS:
        return Registered(ANY_HOME, harness)
    known = tuple(start) in STARTS
    return Registered(launcher, harness) if known and is_launcher(launcher) else None


def is_changed(command: object) -> bool:
    """Does it start our launcher, but in a form that no setup has written: wrapped, or mangled?"""
    if not isinstance(command, str) or LAUNCHER not in command:
        return False
    registered = parse(command)
    if registered and registered.harness in DIALECTS:
        return False
    if not _starts_something(command.split()[0]):  # `log '<launcher>'` is no start
        return False
    try:
        words = shlex.split(command)
    except ValueError:  # a quote without its end
        return True
    names_it = any(LAUNCHER in word and _ends_in_launcher(word) for word in words)
    return names_it and len(words) > 1  # a plugin of ours holds the bare path


def _starts_something(word: str) -> bool:
    """A program that starts what is behind it, an assignment before it, or the launcher itself."""
    plain = Path(word.strip("\"'"))
    return plain.name in STARTERS or "=" in word or is_launcher(plain)


def _ends_in_launcher(word: str) -> bool:
    """The word may be a script of its own: `sh -c '. ~/.local/share/runaway/launch claude'`."""
    return any(is_launcher(Path(part.strip("\"';"))) for part in word.split())


def same_place(command: object, machine: Machine) -> bool:
    """Is it the portable command, or today's with the launcher's place written by `$HOME`?"""
    if not isinstance(command, str):
        return False
    registered = parse(command)
    if registered and registered.launcher == ANY_HOME:
        return is_at_home(machine) and registered.harness in DIALECTS
    begin = TODAY if command.startswith(TODAY) else BY_CODE
    for start in (f'{begin} "$HOME/', f'{begin} "${{HOME}}/', f"{begin} $HOME/", f"{begin} ~/"):
        if command.startswith(start):
            place, _, harness = command.removeprefix(start).rpartition(" ")
            quoted = start.rpartition(" ")[2].startswith('"')
            plain = place.removesuffix('"') if quoted else place
            is_whole = harness in DIALECTS and plain.isascii() and not set(plain) & set("\"'$`\\ ")
            return (
                is_whole
                and place.endswith('"') is quoted
                and machine.home / plain == machine.launcher
            )
    return False


def is_launcher(path: Path) -> bool:
    """Tell our launcher by its name and its folder's."""
    return path.name == LAUNCHER_NAME and path.parent.name == FOLDER_NAME
