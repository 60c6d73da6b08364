"""The machine as the installer sees it: one value, so that a scratch home is just another machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_config_path, user_data_path, user_state_path

from .errors import Refusal

CONFIG_NAME = "config.toml"


class Machine(NamedTuple):
    """Folders and environment; `data`, `config` and `state` are our own folders."""

    home: Path
    cwd: Path
    environ: Mapping[str, str]
    data: Path
    config: Path
    state: Path
    root: Path = Path("/")  # above the organisation's files in /etc; elsewhere only in tests
    shared: bool = False  # our folders serve every user of the machine
    portable: bool = False  # entries name the launcher of whoever runs them

    @property
    def launcher(self) -> Path:
        """The one file that every registered command names."""
        return self.data / "launch"

    @property
    def config_file(self) -> Path:
        """The person's own policy."""
        return self.config / CONFIG_NAME

    @property
    def file_mode(self) -> int:
        """Of a file that setup makes: readable by those whom it serves."""
        return 0o644 if self.shared else 0o600

    def variable(self, name: str) -> str | None:
        """A variable of the environment; blank counts as unset."""
        value = self.environ.get(name, "")
        return value if value.strip() else None

    def program(self, name: str) -> Path | None:
        """Where the machine's PATH has a program, or None."""
        return program_in(self.environ.get("PATH", os.defpath), name)

    def tilde(self, path: Path | str) -> str:
        """A path as people write it: the home directory as `~`."""
        text = str(path)
        home = str(self.home)
        return "~" + text[len(home) :] if text == home or text.startswith(home + os.sep) else text

    def shortened(self, text: str) -> str:
        """A text with every path below the home directory as `tilde` writes it."""
        home = str(self.home)
        return text if home == os.sep else text.replace(home + os.sep, "~" + os.sep)


def program_in(search_path: str, name: str) -> Path | None:
    """Where a search path has a program, or None; whatever folder we are in has none."""
    found = shutil.which(name, path=absolute_only(search_path))
    return Path(found) if found else None


def absolute_only(search_path: str) -> str:
    """A search path without `.`, relative and empty entries: programs of the current folder."""
    return os.pathsep.join(filter(os.path.isabs, search_path.split(os.pathsep)))


def this_machine() -> Machine:
    """The machine we run on, from the environment and the platform's conventions (XDG and others).

    Every folder is absolute: a relative launcher would be found from one folder only. PATH is without
    what is found in the current folder, for the programs that we start as for those that they start.
    Refusal `no-folder` or `no-home`.
    """
    home = _home()
    try:
        cwd = Path.cwd()
    except FileNotFoundError:
        text = "The current folder does not exist any more; go to another one."
        raise Refusal(text, code="no-folder") from None
    return Machine(
        home=home,
        cwd=cwd,
        environ={**os.environ, "PATH": absolute_only(os.environ.get("PATH", os.defpath))},
        data=user_data_path("runaway", appauthor=False).absolute(),
        config=user_config_path("runaway", appauthor=False).absolute(),
        state=user_state_path("runaway", appauthor=False).absolute(),
    )


def _home() -> Path:
    """As HOME names it, else the user database; Refusal `no-home` for what cannot be one."""
    try:
        home = Path(os.environ["HOME"] if "HOME" in os.environ else Path.home())
    except RuntimeError:  # a user without an entry
        raise _no_home("Neither HOME nor the user database names a home directory") from None
    if not os.environ.get("HOME", "/").startswith(os.sep):
        raise _no_home(f"HOME is {os.environ['HOME']!r}, which is no absolute path")
    if not (os.access(home, os.X_OK) and home.is_dir()):
        raise _no_home(f"HOME is {home}, which is not a folder that you can enter")
    return home


def _no_home(text: str) -> Refusal:
    fix = "Set HOME to your home directory; for root's own run it with `sudo -H`."
    return Refusal(f"{text}.", code="no-home", fix=fix)


def scratch_machine(home: Path, environ: Mapping[str, str] | None = None) -> Machine:
    """A machine whose every folder lies below `home` (demo, tests)."""
    return Machine(
        home=home,
        cwd=home,
        environ={"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), **(environ or {})},
        data=home / ".local/share/runaway",
        config=home / ".config/runaway",
        state=home / ".local/state/runaway",
        root=home / ".root",
    )
