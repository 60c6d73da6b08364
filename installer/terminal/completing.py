"""What a shell offers at a press of Tab. It must be quick, and says nothing where something is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..machine import Machine

SCOPES = ("user", "project", "local", "managed")
SHELLS = ("bash", "zsh", "fish")


def harnesses() -> list[str]:
    from ..harnesses.registry import HARNESSES

    return list(HARNESSES)


def scopes() -> list[str]:
    return list(SCOPES)


def shells() -> list[str]:
    return list(SHELLS)


def keys() -> list[str]:
    from ..policy_keys import ABOUT

    return list(ABOUT)


def session_ids() -> list[str]:
    """The sessions that the guard has seen, as short as they can be told apart."""
    from ..errors import Refusal
    from ..machine import this_machine

    try:
        return _session_ids(this_machine())
    except (OSError, Refusal):
        return []


def _session_ids(machine: Machine) -> list[str]:
    from .. import sessions

    return list(sessions.prefixes(sessions.sessions(machine).rows).values())


def script(shell: str) -> str:
    """What the shell reads to complete `runaway`."""
    from typer._completion_shared import get_completion_script

    return get_completion_script(prog_name="runaway", complete_var="_RUNAWAY_COMPLETE", shell=shell)
