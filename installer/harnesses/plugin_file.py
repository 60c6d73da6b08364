"""A file of ours that a harness loads into its own process: its text for a launcher, whose it is.

The text is the harness's `runaway.js` behind `guard_call.js`, which all share. The first line holds a
digest of the lines below it, so a file of ours is known whatever version wrote it, and one that somebody
has changed is nobody's but theirs.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator
from functools import partial
from importlib import resources
from pathlib import Path

from .. import managed_scope
from ..documents.values import Created
from ..errors import Refusal
from ..launch_command import ANY_HOME, command_for, may_name, named_launcher
from ..machine import Machine
from ..plan import Rewrite, Target
from .base import Check

FILE = "runaway.js"
SHARED = "guard_call.js"
MOVED = b"${XDG_DATA_HOME:-"  # in the portable command
HEAD = b"// The guard of runaway, by `runaway setup`; `runaway uninstall` removes it. sha256 "


def target(harness: str, machine: Machine, scope: str, path: Path) -> Target:
    """How the file is edited: it is ours as a whole, there or not there."""
    name, launcher = machine.tilde(path), named_launcher(machine, scope)
    return Target(
        harness,
        scope,
        path,
        install_entry=partial(install_entry, harness, name=name, launcher=launcher),
        remove_entry=partial(remove_entry, name=name),
        snippet=lambda: text(harness, launcher).decode(),
    )


def text(harness: str, launcher: Path) -> bytes:
    """The whole file, which runs the command that settings of other harnesses would hold.

    Refusal `undecodable-path`: JavaScript is text, as JSON is.
    """
    words = shlex.split(command_for(launcher, harness))[-3:]
    ours = resources.files(__package__)
    call = ours.joinpath(SHARED).read_bytes()
    for name, word in zip((b'"SCRIPT"', b'"LAUNCHER"', b'"HARNESS"'), words, strict=True):
        call = call.replace(name, json.dumps(word, ensure_ascii=False).encode())
    return _signed(call + ours.joinpath(harness, FILE).read_bytes())


def _signed(body: bytes) -> bytes:
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def is_ours(data: bytes) -> bool:
    """Written by a setup, of whatever version, and not changed since."""
    head, _, body = data.partition(b"\n")
    return head.startswith(HEAD) and data == _signed(body)


def install_entry(harness: str, data: bytes | None, name: str, launcher: Path) -> Rewrite:
    """Refuses to replace what is not ours; what is portable stays it."""
    if data is not None and not is_ours(data):
        raise _foreign(name)
    return Rewrite(text(harness, ANY_HOME if MOVED in (data or b"") else launcher))


def remove_entry(data: bytes | None, _created: tuple[Created, ...], name: str) -> Rewrite:
    """The file goes; one that was changed but still calls the guard is for a person to look at."""
    if data is None or is_ours(data):
        return Rewrite(None)
    if may_name(data):
        raise _foreign(name)
    return Rewrite(data)


def _foreign(name: str) -> Refusal:
    says = f"{name} is not the file that setup writes: somebody else's, or changed since."
    return Refusal(says, code="foreign-plugin", fix="Look at it, and move it away or delete it.")


def entry_check(harness: str, word: str, machine: Machine, path: Path) -> Check:
    """Is the file the one that setup writes today? `word`: what the harness calls such a file."""
    name, check, rerun = machine.tilde(path), "installed.entry", setup_again(harness)
    if not path.is_file():  # a pipe would keep us waiting
        return Check(harness, check, "error", f"{name} cannot be read: it is not a file.")
    try:
        data = path.read_bytes()
    except OSError as error:
        return Check(harness, check, "error", f"{name} cannot be read: {error.strerror}.")
    if data in (text(harness, one) for one in managed_scope.launchers(machine, "user")):
        return Check(harness, check, "ok", f"The guard's {word} is {name}.")
    if is_ours(data):
        message = f"{name} is not the {word} that setup writes today."
        return Check(harness, check, "error", message, rerun)
    message = f"{name} is not the guard's {word}: somebody else's, or changed since setup."
    return Check(harness, check, "error", message, f"Move it away. {rerun}")


def setup_again(harness: str) -> str:
    return f"Run `runaway setup --harness {harness}`."


MAX_WRAPPER_BYTES = 1 << 16  # bytes of a program that is a script


def wrapper_check(
    harness: str, machine: Machine, check: str, option: str, effect: str
) -> Iterator[Check]:
    """Warn of a script on PATH, in front of the program, that names an option against such files."""
    program = machine.program(harness)
    try:
        head = b"" if program is None else _head(program)
    except OSError:
        return
    if head.startswith(b"#!") and option.encode() in head:
        message = f"{machine.tilde(str(program))} is a script that names `{option}`."
        yield Check(harness, check, "warning", message, f"With that option {effect}.")


def _head(program: Path) -> bytes:
    with program.open("rb") as file:
        return file.read(MAX_WRAPPER_BYTES)
