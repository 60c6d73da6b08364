"""Mistakes in a call, in our own words: the libraries that find them speak of themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..result import Message

if TYPE_CHECKING:
    from typer._click.exceptions import ClickException

WANTED = {"float_parsing": "a number", "int_parsing": "a whole number"}
NUMBER = re.compile(r"-[\d.]")
REWORDED = {
    r"Option '(.+)' requires an argument\.": r"\1 needs a value.",
    r"Option '(.+)' does not take a value\.": r"\1 takes no value.",
    r"Got unexpected extra arguments?(?:\(s\))? \((.+)\)": r"That is more than it takes: \1.",
    r"No such command '(.+?)'\. Did you mean (.+)\?": r"There is no command '\1'; did you mean \2?",
    r"No such command '(.+?)'\.": r"There is no command '\1'.",
}


def told(error: ClickException, verb: str) -> Message:
    """One sentence, and where the right call is shown; `verb` is the word behind `runaway`."""
    context: Any = getattr(error, "ctx", None)
    command = context.command_path if context else f"runaway {verb}".rstrip()
    return Message("error", "usage", _sentence(error, command), fix=f"See `{command} --help`.")


def help_of(error: ClickException) -> str:
    """The help that is shown where a command of a group is left out; else nothing."""
    from typer._click.exceptions import NoArgsIsHelpError

    return error.format_message() if isinstance(error, NoArgsIsHelpError) else ""


def _sentence(error: ClickException, command: str) -> str:
    from typer._click.exceptions import BadParameter, MissingParameter, NoSuchOption

    if isinstance(error, MissingParameter):
        return f"`{command}` needs {_name(error.param)}."
    if isinstance(error, BadParameter):
        return _refused_value(error)
    if isinstance(error, NoSuchOption) and NUMBER.match(error.option_name):
        return f"{error.option_name} is below 0: neither a setting nor a price can be."
    if isinstance(error, NoSuchOption):
        option = error.option_name.encode(errors="backslashreplace").decode()
        near = f"; did you mean {error.possibilities[0]}?" if error.possibilities else "."
        return f"`{command}` has no option {option}{near}"
    return _reworded(error.format_message())


def _reworded(text: str) -> str:
    for theirs, ours in REWORDED.items():
        if found := re.fullmatch(theirs, text):
            return found.expand(ours)
    return text


def _refused_value(error: Any) -> str:
    """Pydantic, which reads the value, knows it; what it would say is about itself."""
    found: list[Any] = getattr(error.__cause__, "errors", list)()
    if not found or found[0]["type"] not in WANTED:
        return str(error.format_message())
    return f"{_name(error.param)} takes {WANTED[found[0]['type']]}, not {found[0]['input']!r}."


def _name(parameter: Any) -> str:
    """`--spend-cap` or `KEY`."""
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.metavar or parameter.name.upper())
