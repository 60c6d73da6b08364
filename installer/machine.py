"""The machine as the installer sees it: one value, so that a scratch home is just another machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_config_path, user_data_path, user_state_path

from runaway.installer.errors import Refusal


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

    @property
    def launcher(self) -> Path:
        """The one file that every registered command names."""
        return self.data / "launch"

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

    Every folder is absolute: a relative launcher would be found from one folder only.
    """
    try:
        cwd = Path.cwd()
    except FileNotFoundError:
        text = "The current folder does not exist any more; go to another one."
        raise Refusal(text, code="no-folder") from None
    return Machine(
        home=Path.home().absolute(),
        cwd=cwd,
        environ=dict(os.environ),
        data=user_data_path("runaway", appauthor=False).absolute(),
        config=user_config_path("runaway", appauthor=False).absolute(),
        state=user_state_path("runaway", appauthor=False).absolute(),
    )


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
