"""Our plugin as a file: its text for a launcher, and how it is told from everybody else's.

The first line holds a digest of the lines below it, so a file of ours is known whatever version wrote
it, and one that somebody has changed is nobody's but theirs.
"""

from __future__ import annotations

import hashlib
import json
import os
from importlib import resources
from pathlib import Path

from ...documents.values import Created
from ...errors import Refusal
from ...launch_command import may_name
from ...plan import Rewrite

FILE = "runaway.js"
HEAD = b"// The guard of runaway, by `runaway setup`; `runaway uninstall` removes it. sha256 "


def text(launcher: Path) -> bytes:
    """The whole file. Refusal `undecodable-path`: JavaScript is text, as JSON is."""
    try:
        place = json.dumps(os.fsencode(launcher).decode(), ensure_ascii=False)
    except UnicodeDecodeError:
        says = f"No plugin can name {str(launcher)!a}: that is not valid UTF-8."
        fix = "Set XDG_DATA_HOME to a folder with a name in UTF-8."
        raise Refusal(says, code="undecodable-path", fix=fix) from None
    body = resources.files(__package__).joinpath(FILE).read_bytes()
    return _signed(body.replace(b'"LAUNCHER"', place.encode()))


def _signed(body: bytes) -> bytes:
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def is_ours(data: bytes) -> bool:
    """Written by a setup, of whatever version, and not changed since."""
    head, _, body = data.partition(b"\n")
    return head.startswith(HEAD) and data == _signed(body)


def install_entry(data: bytes | None, name: str, launcher: Path) -> Rewrite:
    """Refuses to replace what is not ours."""
    if data is not None and not is_ours(data):
        raise _foreign(name)
    return Rewrite(text(launcher))


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
