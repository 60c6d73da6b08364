"""All programs on a machine that read a harness's settings files, not only the first on PATH.

Another version of node, an editor's extension or a package that brings its own copy reads the same
files, and may be older: what that one does not take, nobody's hooks survive.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..files import small
from ..machine import Machine
from . import release
from .base import Check, Level
from .release import Version

if TYPE_CHECKING:
    from .base import Harness

# Below the home folder: where versions of node keep programs, whichever of them is in use.
BINS = (
    ".nvm/versions/node/*/bin",
    ".local/share/fnm/node-versions/*/installation/bin",
    ".local/share/mise/installs/node/*/bin",
    ".asdf/installs/nodejs/*/bin",
    ".volta/bin",
    ".bun/bin",
    ".npm-global/bin",
    ".local/bin",
)
EDITORS = (
    *(".vscode", ".vscode-insiders", ".vscode-oss", ".cursor", ".windsurf"),
    *(".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server"),
)
OBSOLETE = ".obsolete"  # {"publisher.name-1.2.3": true}: what an editor will delete
PARENTS = 4  # folders above a program in which its package.json may be
INSTALLED = frozenset(("node_modules", "extensions"))  # folders that installers fill
VERSIONS = ("claudeCodeVersion", "version")  # in a package.json; of what it brings, or its own


class Client(NamedTuple):
    """A program, and which release it is: None where nothing tells."""

    program: Path
    version: Version | None

    def named(self, machine: Machine, display: str) -> str:
        """`Claude Code 2.1.70 (~/.nvm/…/bin/claude)`."""
        number = f" {release.text(self.version)}" if self.version else ""
        return f"{display}{number} ({machine.tilde(self.program)})"


class Finder(Protocol):
    """`clients` of a harness. Without `ask` no program is started: then only files tell of them."""

    def __call__(self, machine: Machine, /, *, ask: bool) -> tuple[Client, ...]: ...


def no_bundles(_machine: Machine) -> Iterable[Path]:
    """No editor or package is known to bring a copy of its own."""
    return ()


def finder(*names: str, bundled: Callable[[Machine], Iterable[Path]] = no_bundles) -> Finder:
    """Each program of these names once, however many links lead to it; a person calls the first."""

    def clients(machine: Machine, *, ask: bool) -> tuple[Client, ...]:
        real: dict[Path, Path] = {}
        found = [
            one for name in names for one in (*_on_path(machine, name), *_elsewhere(machine, name))
        ]
        for program in (*found, *bundled(machine)):
            with suppress(OSError, RuntimeError):
                real.setdefault(program.resolve(strict=True), program)
        return tuple(Client(one, _version(machine, one, ask=ask)) for one in real.values())

    return clients


def checks(machine: Machine, harness: Harness, *, ask: bool) -> Iterator[Check]:
    """Every client in which the guard stops nothing; what they tell of themselves is remembered.

    The one that a person calls decides whether the guard is armed.
    """
    found = harness.clients(machine, ask=ask)
    if ask:
        asked = (client.program for client in found if _told(client.program) is None)
        release.remember(machine, asked)
    level: Level = "error"
    for client in found:
        if client.version and client.version < harness.OLDEST:
            name, oldest = client.named(machine, harness.DISPLAY), release.text(harness.OLDEST)
            message = f"{name} is too old: the guard is known to work from {oldest} on."
            yield Check(harness.NAME, "allowed.release", level, message, "Update it.")
        level = "warning"


def oldest(clients: Iterable[Client]) -> Client | None:
    """The one that takes least; None where no release is known."""
    known = [client for client in clients if client.version]
    return min(known, key=lambda client: client.version or (), default=None)


def _on_path(machine: Machine, name: str) -> Iterator[Path]:
    first = machine.program(name)
    if first:
        yield first
    for folder in machine.environ.get("PATH", os.defpath).split(os.pathsep):
        program = Path(folder, name)
        if program.is_absolute() and program.is_file() and os.access(program, os.X_OK):
            yield program


def _elsewhere(machine: Machine, name: str) -> Iterator[Path]:
    for bin in BINS:
        found = sorted(machine.home.glob(f"{bin}/{name}"))
        yield from (one for one in found if one.is_file() and os.access(one, os.X_OK))


def extensions(machine: Machine, id: str, inside: str) -> Iterator[Path]:
    """The program that an editor's extension brings, in all editors, of every version in use."""
    for editor in EDITORS:
        folder = machine.home / editor / "extensions"
        obsolete = small.json_object(folder / OBSOLETE)
        for one in sorted(folder.glob(f"{id}-[0-9]*")):
            if one.name not in obsolete:
                yield from sorted(one.glob(inside))


def in_python(machine: Machine, inside: str) -> Iterator[Path]:
    """A file of a package of every Python on PATH."""
    for folder in machine.environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(folder).is_absolute() and Path(folder).name == "bin":
            yield from sorted(Path(folder).parent.glob(f"lib/python3*/site-packages/{inside}"))


def _version(machine: Machine, program: Path, *, ask: bool) -> Version | None:
    """Where its files tell it is not started: Gemini CLI needs seconds to say its version."""
    return _told(program) or release.of_program(machine, program, ask=ask)


def _told(program: Path) -> Version | None:
    """By the files around it: its own name, `NAME.version` beside it, or its package.json."""
    real = program.resolve()
    beside = small.text(real.with_name(f"{real.name}.version"))
    if told := release.numbers(real.name) or release.numbers(beside):
        return told
    inside = real.parents[:PARENTS] if INSTALLED.intersection(real.parts) else ()
    for folder in inside:  # a package.json above a person's own script is another matter
        package = small.json_object(folder / "package.json")
        if package:
            versions = (package.get(key) for key in VERSIONS)
            return release.numbers(next((one for one in versions if isinstance(one, str)), ""))
    return None
