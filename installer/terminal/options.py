"""Options that several commands share, and how a command is run: imported by the modules of the CLI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import completing

if TYPE_CHECKING:
    from ..machine import Machine
    from ..result import Result


Harness = Annotated[
    list[str],
    typer.Option(
        "--harness",
        metavar="NAME",
        help="Only this harness; may be repeated.",
        autocompletion=completing.harnesses,
    ),
]
Project = Annotated[
    Path | None, typer.Option("--project", metavar="DIR", help="The project; default: here.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the changes as a diff; write nothing.")
]
SessionId = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="A session, by the beginning of its id.",
        autocompletion=completing.session_ids,
    ),
]


def examples(*commands: str) -> str:
    """The end of a help text; `\\b` keeps its lines as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  runaway {command}" for command in commands)


def run(name: str, command: Callable[[Machine], Result], as_json: bool) -> None:
    """Run it on this machine, show the result, leave with its exit code."""
    from .error_handler import finish

    def on_this_machine() -> Result:
        from ..machine import this_machine

        return command(this_machine())

    raise typer.Exit(finish(name, on_this_machine, as_json))


def folder(path: Path | None) -> Path | None:
    return path.absolute() if path else None
