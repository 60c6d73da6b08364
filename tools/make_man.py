"""Write docs/runaway.1, the manual page, from the parser: `python -m tools.make_man`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from runaway.guard import __version__
from runaway.installer.cli import app

PAGE = Path(__file__).parents[1] / "docs/runaway.1"
Command = Any  # of the click that typer carries with it
EXIT_CODES = {
    "0": "done, or nothing to do",
    "1": "something was refused, a check of the doctor failed, or --check found a difference",
    "2": "a mistake in the call, or a question without a terminal",
    "3": "a bug; a log file is written",
    "130": "Ctrl-C, or no",
}
FILES = {
    "~/.config/runaway/config.toml": "the policy",
    "~/.local/share/runaway": "the guard's code, its launcher and the compiled policy",
    "~/.local/state/runaway": "sessions, spend, logs and backups",
}
# What the guard itself honours; those of the agents are in docs/harnesses.md.
ENVIRONMENT = {
    "NO_COLOR": "no colour, whatever its value",
    "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME": "where the folders below FILES are instead",
    "VISUAL, EDITOR": "the editor of config edit",
}


def page() -> str:
    root: Command = get_command(app)
    lines = [
        f'.TH RUNAWAY 1 "" "runaway {__version__}" "User Commands"',
        ".SH NAME",
        f"runaway \\- {_text(root.help).rstrip('.')}",
        ".SH SYNOPSIS",
        ".B runaway",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH OPTIONS",
        *_parameters(root),
        ".SH COMMANDS",
    ]
    for name, command in commands(root):
        lines += _command(name, command)
    for title, rows in (
        ("EXIT STATUS", EXIT_CODES),
        ("ENVIRONMENT", ENVIRONMENT),
        ("FILES", FILES),
    ):
        lines += [f".SH {title}", *_table(rows)]
    return "\n".join(lines) + "\n"


def commands(group: Command, prefix: str = "") -> Iterator[tuple[str, Command]]:
    """Every command that does something, with its words: `setup`, `config show`."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _command(name: str, command: Command) -> Iterator[str]:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join((name, *command.collect_usage_pieces(context)))
    yield f".SS runaway {_text(usage)}"
    first, *more = command.help.split("\n\n")
    yield _text(first)
    for paragraph in more:
        yield from (".PP", _text(paragraph))
    yield from _parameters(command)
    yield from _examples(command.epilog or "")


def _parameters(command: Command) -> Iterator[str]:
    context = command.make_context("runaway", [], resilient_parsing=True)
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            name, text = record
            yield from (".TP", f".B {_text(name)}", _text(text))


def _examples(epilog: str) -> Iterator[str]:
    found = re.findall(r"^  (runaway .*)$", epilog, re.MULTILINE)
    if found:
        yield from (".PP", "Examples:", ".nf", *(f"  {_text(line)}" for line in found), ".fi")


def _table(rows: dict[str, str]) -> Iterator[str]:
    for name, text in rows.items():
        yield from (".TP", f".B {_text(name)}", _text(text))


def _text(text: str) -> str:
    """One line, with what means something to roff escaped."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


if __name__ == "__main__":
    PAGE.write_text(page())
