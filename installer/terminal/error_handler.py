"""The edge: where results are printed, and the only place where failures are caught."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .. import colour
from ..errors import Refusal
from ..files.faults import refusal
from ..printable import printable, printable_lines
from ..result import Message, Result, as_json
from . import streams, usage_errors
from .streams import OutputLost

if TYPE_CHECKING:
    from typer._click.exceptions import ClickException

FAILED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def finish(name: str, command: Callable[[], Result], json_wanted: bool) -> int:
    """Run a command, show its result or its failure, and return the exit code."""
    try:
        result = command()
    except Refusal as refused:
        result = _refused(name, refused)
    except OutputLost:
        raise
    except (KeyboardInterrupt, typer.Abort):
        result = Result(name, "interrupted", INTERRUPTED)
    except PermissionError as error:  # the owner of a folder has to help: no bug
        result = _refused(name, refusal(error, Path(error.filename or ""), "read"))
    except Exception as error:  # noqa: BLE001  # a bug: one line for the person, the rest into a log
        result = _bug(name, error)
    show(result, json_wanted)
    return result.exit_code


def _refused(name: str, refusal: Refusal) -> Result:
    path = str(refusal.path) if refusal.path else None
    message = Message("error", refusal.code, refusal.text, None, path, refusal.fix or None)
    return Result(name, "refused", USAGE if refusal.usage else FAILED, messages=(message,))


def _bug(name: str, error: Exception) -> Result:
    from ..redact import redact

    text = redact(f"A bug in runaway: {type(error).__name__}: {error}".splitlines()[0])
    log = _write_log(error)
    fix = f"Please report it with {log}." if log else "Please report it."
    message = Message("error", "bug", text, None, str(log) if log else None, fix)
    return Result(name, "bug", BUG, messages=(message,))


def _write_log(error: Exception) -> Path | None:
    from ...guard import __version__
    from ..files import private
    from ..machine import this_machine
    from ..redact import redact

    report = redact("".join(traceback.format_exception(error)))
    text = f"runaway {__version__}, Python {sys.version}\n{report}"
    try:
        log = private.state_folder(this_machine().state) / "bug.log"
        private.replace(log, text.encode(errors="backslashreplace"))
    except (OSError, Refusal):
        return None
    return log


def show(result: Result, json_wanted: bool) -> None:
    """Results on stdout, problems on stderr, and nothing twice."""
    if json_wanted:
        say(as_json(result))
        return
    paint = result.paint if colour.wanted(sys.stdout) else colour.plain
    put = streams.write if result.exact else streams.write_wrapped
    for line in result.lines:
        put(sys.stdout, paint(_line(result, line)))
    said = "\n".join(result.lines)
    for message in result.messages:
        stream = sys.stdout if message.level == "info" else sys.stderr
        wanted = message.level != "info" or message.code == "next-step"
        if wanted and message.text not in said:
            said += f"\n{message.text}"
            text = colour.level(printable(message.text), message.level)
            streams.write_wrapped(stream, text)
            if message.fix:
                streams.write_wrapped(stream, printable_lines(f"  {message.fix}"))


def _line(result: Result, line: str) -> str:
    """Nothing but our own colour may steer a terminal, also when what a pipe took is shown later."""
    if not result.exact:
        return printable(line)
    return printable_lines(line) if sys.stdout.isatty() else line


def say(text: str) -> None:
    """One line on stdout; bytes that are no text come out as they went in."""
    streams.write(sys.stdout, text)


def guarded(app: typer.Typer) -> int:
    """The exit code; output that nobody takes is a sentence on stderr and exit code 1."""
    streams.open_missing()
    try:
        return _run(app)
    except OutputLost as lost:
        streams.tell_of_loss(lost.error)
    except OSError as error:  # help and version are written by typer
        streams.tell_of_loss(error)
    return FAILED


def _run(app: typer.Typer) -> int:
    """Typer's own errors (unknown option, missing value) in the shape of ours."""
    from typer._click.exceptions import ClickException
    from typer.main import get_command

    try:
        code = get_command(app).main(standalone_mode=False)
    except ClickException as error:
        _show_usage(error)
        return USAGE
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _show_usage(error: ClickException) -> None:
    wants_json, verb = "--json" in sys.argv, _command_name()
    help = usage_errors.help_of(error)
    if help and not wants_json:
        streams.write(sys.stderr, help)
    else:
        message = usage_errors.told(error, verb)
        show(Result(verb, "usage", USAGE, messages=(message,)), wants_json)


def _command_name() -> str:
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    return words[0] if words else ""
