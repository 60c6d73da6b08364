"""Root in somebody else's home: what it made there would shut the owner out, so nothing is made."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from ..errors import Refusal


def refuse_foreign(path: Path) -> None:
    """Refusal `foreign-folder` where root would write into a folder that is somebody else's.

    `sudo -E`, and any `sudo` of macOS, leave HOME as it was. Other users are held back by the system.
    """
    if is_foreign(path):
        owner, folder = _owner(path)
        name = name_of(owner)
        raise Refusal(
            f"{folder} belongs to {name}, but this runs as root: files of root's would shut {name} out.",
            code="foreign-folder",
            fix=f"Run it as {name}, without sudo; for root's own agents run it with `sudo -H`.",
            path=path,
        )


def is_foreign(path: Path) -> bool:
    """Tell whether we are root and this is, or would be, in a folder of somebody else."""
    return os.geteuid() == 0 and _owner(path)[0] != 0


def _owner(path: Path) -> tuple[int, Path]:
    """The user id and the place of the nearest folder that is there."""
    for folder in (path, *path.parents):
        try:
            return os.stat(folder).st_uid, folder
        except OSError:  # not there, or below a file
            continue
    return 0, path


def name_of(user: int) -> str:
    """The name of a user, or the number of one that the machine does not know."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
