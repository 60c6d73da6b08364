"""A change as a unified diff that `patch -p0` accepts and that shows no secret.

Names are relative to one folder for all files of a run, because patch refuses absolute ones: the current
one, else the home, else the root.
"""

from __future__ import annotations

import difflib
import re
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from .documents.nodes import Span
from .files.writer import Written
from .machine import Machine
from .redact import mask, secret_spans

CONTEXT = 3  # lines
HUNK = re.compile(r"([-+])(\d+)(?=[ ,].*@@)")
SECRET = "\ud800"  # marks a line that must be masked; decoding never gives it
ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
NO_NEWLINE = "\\ No newline at end of file\n"


def of(machine: Machine, written: Written) -> str:
    """The diff of what was, or would be, written to one file."""
    folder = folder_for([written.target], machine.cwd, machine.home)
    return unified(written.target, written.before, written.after, folder)


def dry_lines(machine: Machine, written: Iterable[Written]) -> Iterator[str]:
    """The diffs of all files, below the command that applies them if plain `patch -p0` would not."""
    changed = [one for one in dict.fromkeys(written) if one.before != one.after]
    folder = folder_for([one.target for one in changed], machine.cwd, machine.home)
    if changed and folder != machine.cwd:
        yield f"Apply with: patch -p0 -d {machine.tilde(folder)}"
    for one in changed:
        yield unified(one.target, one.before, one.after, folder).removesuffix("\n")


def folder_for(paths: Iterable[Path], *folders: Path) -> Path:
    """The first of these folders that all the files lie below, else the root: there patch must run."""
    files = tuple(paths)
    below = (folder for folder in folders if all(file.is_relative_to(folder) for file in files))
    return next(below, Path("/"))


def unified(path: Path, before: bytes | None, after: bytes | None, folder: Path) -> str:
    """The diff of one file, undecodable bytes as surrogates; None stands for no file."""
    old, new = _text(before), _text(after)
    name = str(path.relative_to(folder))
    headers = (
        "/dev/null" if before is None else _header(name),
        "/dev/null" if after is None else _header(name),
    )
    ours, theirs = _lines(new), _lines(old)
    first, last = _common(theirs, ours)
    removed = _marked(old, path.name, theirs, first, len(theirs) - last)
    added = _marked(new, path.name, ours, first, len(ours) - last)
    return "".join(_moved(line, first) for line in _diff(removed, added, *headers))


def _common(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines at the start and at the end are equal in both and no context of a change."""
    first = _equal(before, after)
    last = _equal(before[first:][::-1], after[first:][::-1])
    return max(0, first - CONTEXT), max(0, last - CONTEXT)


def _equal(some: list[str], others: list[str]) -> int:
    pairs = enumerate(zip(some, others, strict=False))
    unequal = (at for at, (one, other) in pairs if one != other)
    return next(unequal, min(len(some), len(others)))


def _moved(line: str, by: int) -> str:
    """Count the lines of a hunk's header from the start of the file."""
    return (
        HUNK.sub(lambda found: found[1] + str(int(found[2]) + by), line) if line[0] == "@" else line
    )


def _header(name: str) -> str:
    """The name as patch reads it: quoted as in C, or up to a tab if there are blanks in it."""
    if name.startswith('"') or any(character in "\t\n\r" for character in name):
        return '"' + name.translate(ESCAPES) + '"'
    return name + "\t" if " " in name else name


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _diff(old: list[str], new: list[str], from_name: str, to_name: str) -> list[str]:
    """As much context as holds no secret: a masked context line would no longer apply."""
    for context in range(CONTEXT, -1, -1):
        lines = list(difflib.unified_diff(old, new, from_name, to_name, n=context))
        if not any(line.startswith(SECRET, 1) for line in lines[2:] if line[0] == " "):
            break
    return [_shown(line) for line in lines]


def _marked(text: str, name: str, lines: list[str], first: int, end: int) -> list[str]:
    """These lines of the text; those that hold (part of) a secret are marked and masked."""
    offset = sum(map(len, lines[:first]))
    shown = offset, offset + sum(map(len, lines[first:end]))
    spans = deque(span for span in _secrets(text, name, shown) if span[1] > offset)
    found = []
    for line in lines[first:end]:
        stop = offset + len(line)
        inside = []
        while spans and spans[0][0] < stop:  # none reaches from one line into the next
            span = spans.popleft()
            inside.append((span[0] - offset, span[1] - offset))
        found.append(SECRET + mask(line, inside) if inside else line)
        offset = stop
    return found


def _secrets(text: str, name: str, shown: Span) -> list[tuple[int, int]]:
    """Also those of UTF-16, whose characters stand here with a zero behind each."""
    if "\0" not in text:
        return secret_spans(text, name, shown)
    kept = [index for index, character in enumerate(text) if character != "\0"]
    spans = secret_spans("".join(text[index] for index in kept), name)
    return [(kept[start], kept[end - 1] + 1) for start, end in spans]


def _lines(text: str) -> list[str]:
    """Split at line feeds only; `str.splitlines` would also split at U+2028 and others."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _shown(line: str) -> str:
    line = line[0] + line[1:].removeprefix(SECRET)
    return line if line.endswith("\n") else line + "\n" + NO_NEWLINE
