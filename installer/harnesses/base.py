"""What every harness module offers. A new harness is one module here, one line in registry.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ..machine import Machine
from ..plan import Target
from .tamper_facts import TamperFacts

if TYPE_CHECKING:
    from .clients import Client

Scope = Literal["user", "project", "local", "managed"]
Progress = Callable[[str], None]
Level = Literal["ok", "info", "warning", "error", "skipped"]


class Detected(NamedTuple):
    """A harness found on this machine: its program or its folder, whichever is there."""

    program: Path | None
    folder: Path | None


def detector(
    folder_of: Callable[[Machine], Path], *names: str
) -> Callable[[Machine], Detected | None]:
    """A harness is on this machine when its folder is, or a program of one of these names."""

    def detect(machine: Machine) -> Detected | None:
        program = next(filter(None, map(machine.program, names)), None)
        folder = folder_of(machine) if folder_of(machine).is_dir() else None
        return Detected(program, folder) if program or folder else None

    return detect


def no_further_paths(_machine: Machine, _scope: Scope) -> tuple[Path, ...]:
    """`further_paths` of a harness that needs our entry in one file."""
    return ()


def no_environment(_machine: Machine, _project: Path) -> Mapping[str, str]:
    """`hook_environment` of a harness whose settings cannot add to it."""
    return {}


class Consent(NamedTuple):
    """A harness that runs a hook only once a person has trusted it: what the person is asked."""

    about: str
    question: str
    no: str
    yes: str
    left_to_it: tuple[str, ...]  # refusals of an edit that the harness itself can do


NO_CONSENT: Consent | None = None


def needs_no_consent(_machine: Machine, target: Target) -> tuple[Target, ...]:
    """`consent_targets` of a harness without a record of trust."""
    return (target,)


def records_no_consent(_machine: Machine, _target: Target, _project: Path) -> bool:
    """`record_consent` of such a harness."""
    return False


class Check(NamedTuple):
    """One line of the doctor: `check` is a stable id such as `installed.entry`."""

    harness: str
    check: str
    level: Level
    message: str
    fix: str = ""


class Harness(Protocol):
    """The contract; modules fulfil it by having these names."""

    NAME: str
    LAUNCHER_ARGUMENT: (
        str  # last word of the registered command: NAME, or that of one it shares hooks with
    )
    DISPLAY: str
    SCOPES: tuple[Scope, ...]
    OLDEST: tuple[
        int, ...
    ]  # the first release in which the guard was seen to work; () where none tells
    MOVED_BY: str  # the variable that moves the user's settings, "" where none does
    NO_DRILL: tuple[
        str, ...
    ]  # why its program cannot be drilled, and what else shows the guard's runs
    CONSENT: Consent | None  # None where no hook needs any
    NEXT_STEPS: tuple[str, ...]  # what is left to the person after setup

    def detect(self, machine: Machine, /) -> Detected | None:
        """Is it on this machine?"""
        ...

    def clients(self, machine: Machine, /, *, ask: bool) -> tuple[Client, ...]:
        """All programs on this machine that read its files; without `ask` none is started."""
        ...

    def path(self, machine: Machine, scope: Scope, project: Path, /) -> Path:
        """The file where our entry goes in this scope."""
        ...

    def legacy_paths(self, machine: Machine, /) -> tuple[Path, ...]:
        """Files outside today's scopes in which an earlier setup may have left an entry."""
        ...

    def further_paths(self, machine: Machine, scope: Scope, /) -> tuple[Path, ...]:
        """Files beside that one in which our entry is needed in this scope."""
        ...

    def edit_target(self, machine: Machine, scope: str, path: Path, /) -> Target:
        """How a file of this harness is edited."""
        ...

    def checks(self, machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
        """`installed.*`, `allowed.*` and `trusted.*`, in this order; no session is started.

        Without `ask` no program is: what only it could tell is left out."""
        ...

    def tamper_facts(self, machine: Machine, /) -> TamperFacts:
        """Its settings files, and what keeps it from running hooks: for the wire TAMPER."""
        ...

    def consent_targets(self, machine: Machine, target: Target, /) -> tuple[Target, ...]:
        """The entry and, for a person who has consented, the record that the harness may run it."""
        ...

    def record_consent(self, machine: Machine, target: Target, project: Path, /) -> bool:
        """The same record written by the harness itself, where its file is none that we can edit."""
        ...

    def hook_environment(self, machine: Machine, project: Path, /) -> Mapping[str, str]:
        """What settings add to the environment of hooks; the harness's own variables are left out."""
        ...

    def session_id(self) -> str:
        """A new id, of the form that the harness gives its sessions."""
        ...

    def sample_payload(self, session: str, number: int, /) -> bytes:
        """A payload as the harness sends it: the same harmless call each time, unattended."""
        ...

    def is_denial(self, answer: bytes, /) -> bool:
        """Would the harness take this output of the guard as a denial?"""
        ...
