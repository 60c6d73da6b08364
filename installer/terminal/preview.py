"""What the wizard is about to do: a line per file, and the whole diff for whoever wants it."""

from __future__ import annotations

import pydoc
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import colour
from ..commands import setup, uninstall
from ..harnesses.registry import HARNESSES
from ..launch_command import may_name
from ..machine import Machine
from ..printable import printable_lines
from ..result import Result

NOTHING = "Everything is as you want it."


class Preview(NamedTuple):
    """What these answers would change, as text; `refused`: there is nothing that could be written."""

    text: str
    changes: bool
    refused: bool
    diff: str = ""  # of all files, with secrets masked


def of(machine: Machine, wanted: setup.Options, unticked: uninstall.Options | None) -> Preview:
    """Nothing is written. A file that cannot be edited is told too."""
    results = [setup.run(machine, wanted._replace(dry_run=True))]
    actions = {row["action"] for row in results[0].data["harnesses"]}
    if unticked:
        results.append(uninstall.run(machine, unticked._replace(dry_run=True)))
    lines = [line for result in results for line in _lines(machine, result)]
    diffs = "\n".join(text for result in results for text in _diffs(result))
    refused = actions == {"refused"} and not unticked
    changes = any(result.lines for result in results)
    return Preview("\n".join(lines) or NOTHING, changes, refused, diffs)


def _lines(machine: Machine, result: Result) -> Iterator[str]:
    rows = result.data["harnesses" if result.command == "setup" else "files"]
    told = [row for row in rows if row["diff"]]
    for row in told:
        display = HARNESSES[row["harness"]].DISPLAY
        yield f"  {display}: {machine.tilde(row['path'])}: {_counted(row)}"
    for line in result.lines if result.command == "setup" else ():
        if not line.startswith(("--- ", "Apply with: ")):
            yield f"  {line}"
        elif line.startswith("--- ") and str(machine.config_file).endswith(f"/{_named(line)}"):
            yield f"  Your settings: {machine.tilde(machine.config_file)}: {_counts(line)}"
    for one in result.messages:
        if one.level == "error":
            yield f"{one.text} {one.fix or ''}".rstrip()


def _named(diff: str) -> str:
    """The file that a diff is about, as far as it can be told from its second line."""
    return diff.split("\n")[1].removeprefix("+++ ").split("\t")[0].strip('"')


def _counted(row: dict[str, Any]) -> str:
    """`2 hooks added, 18 lines`."""
    added, removed = (_hooks(row["diff"], mark) for mark in "+-")
    hooks = added - removed
    what = f"{_plural(abs(hooks), 'hook')} {'added' if hooks > 0 else 'taken out'}, " * bool(hooks)
    return what + _counts(row["diff"])


def _hooks(diff: str, mark: str) -> int:
    return sum(line[:1] == mark and may_name(line.encode(errors="replace")) for line in _body(diff))


def _counts(diff: str) -> str:
    added, removed = (sum(line[:1] == mark for line in _body(diff)) for mark in "+-")
    if not removed:
        return f"{_plural(added, 'new line')}"
    return f"{_plural(added, 'line')} added, {removed} removed"


def _body(diff: str) -> list[str]:
    """Without the two lines that name the file."""
    return diff.split("\n")[2:]


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _diffs(result: Result) -> Iterator[str]:
    paint = result.paint if colour.wanted(sys.stdout) else colour.plain
    for line in result.lines:
        if line.startswith("--- "):
            yield paint(printable_lines(line))


def page(text: str) -> None:
    """Show it in the person's pager; `q` leaves that of most systems."""
    pydoc.pager(text + "\n")
