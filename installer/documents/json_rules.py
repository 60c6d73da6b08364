"""What each harness's own parser accepts, and what a file holds that it would not.

What a harness would drop is never edited: an entry in a dropped file only looks like protection.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..errors import Refusal
from .nodes import Scan
from .text import Source
from .values import Finding


class Rules(NamedTuple):
    """What the parser of `reader` (a harness's display name) accepts, and what it does otherwise.

    `utf16` means UTF-16LE with a BOM. `empty_file`: a blank file counts as no settings.
    """

    reader: str
    comments: bool = False
    trailing_commas: bool = False
    bom: bool = False
    utf16: bool = False
    empty_file: bool = True
    effect: str = "ignores this whole file"

    @property
    def says(self) -> str:
        """How a sentence begins about what it does not accept."""
        return f"{self.reader} {self.effect}: "


def rejected(scan: Scan, source: Source, rules: Rules) -> Iterator[Finding]:
    """Everything the reader rejects, in the order of the file; an error comes last."""
    if source.bom and not (rules.bom or source.encoding == "utf-16-le"):
        yield _finding("json-bom", source, 0, rules, "a byte order mark", "Save it without a BOM.")
    spots = [] if rules.comments else [("json-comment", start) for start, _ in scan.comments]
    if not rules.trailing_commas:
        spots += [("json-trailing-comma", comma) for comma in scan.trailing_commas()]
    for code, offset in sorted(spots, key=lambda spot: spot[1]):
        what = code.removeprefix("json-").replace("-", " ")
        yield _finding(code, source, offset, rules, what, f"Remove the {what}.")
    if scan.error:
        offset, what = scan.error
        yield _finding("json-syntax", source, offset, rules, what, "Correct that place.")
    elif not scan.tokens and not rules.empty_file:
        yield _finding("json-empty", source, 0, rules, "nothing in it", "Delete the file.")


def duplicates(scan: Scan, source: Source, rules: Rules) -> Iterator[Finding]:
    """Keys that stand twice in one object: which one counts differs from parser to parser."""
    for node in scan.containers():
        seen: dict[str | None, int] = {}
        for member in node.members if node.kind == "object" else ():
            if member.key in seen:
                yield duplicate(source, rules, str(member.key), member.start, seen[member.key])
            seen.setdefault(member.key, member.start)


def duplicate(source: Source, rules: Rules, key: str, start: int, earlier: int) -> Finding:
    here = source.place(start)
    what = (
        f"the key {key!a} at {here} stands already at {source.place(earlier)};"
        f" {rules.reader} uses at most one of them"
    )
    fix = "Merge the two into one."
    return Finding("json-duplicate-key", *here, what, fix)


def refusal(finding: Finding, name: str) -> Refusal:
    return Refusal(f"{name}: {finding.sentence}", code=finding.code, fix=finding.fix)


def _finding(code: str, source: Source, offset: int, rules: Rules, what: str, fix: str) -> Finding:
    place = source.place(offset)
    return Finding(code, *place, f"{rules.says}{what} at {place}", fix)
