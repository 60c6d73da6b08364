"""The tables of nasty settings files in docs/editing-safely.md, from real runs of setup and uninstall.

python -m tools.corpus_table
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from runaway.installer.result import Result
from tests.corpus.case import Case, Harness
from tests.corpus.corpus import CORPUS
from tests.corpus.walk import Walk, houses

ACTIONS = {
    "added": "entry added",
    "updated": "entry renewed in its place",
    "unchanged": "nothing to do",
}
HEAD = "| file | `setup` | after `uninstall` |\n|---|---|---|\n"


def main() -> None:
    with houses() as walk:
        print(tables(walk), end="")


def tables(walk: Callable[[Harness, Case], Walk]) -> str:
    """A table per settings file, as Markdown."""
    return "\n".join(_table(harness, cases, walk) for harness, cases in CORPUS)


def _table(harness: Harness, cases: tuple[Case, ...], walk: Callable[[Harness, Case], Walk]) -> str:
    rows = [_row(walk(harness, case)) for case in cases]
    kept = sum(not case.code for case in cases)
    summary = f"{len(cases)} files: {kept} kept, {len(cases) - kept} refused.\n\n"
    return f"### `~/{harness.file}`\n\n{summary}{HEAD}" + "".join(rows)


def _row(walk: Walk) -> str:
    return f"| {' | '.join(_cell(text) for text in _cells(walk))} |\n"


def _cells(walk: Walk) -> Iterator[str]:
    action = walk.wired.result.data["harnesses"][0]["action"]
    before, after = walk.placed.data, walk.unwired.then.data
    yield walk.case.name
    if action == "refused":
        yield f"refused: {_reason(walk, walk.wired.result)}"
        yield "untouched" if walk.wired.then == walk.placed else "CHANGED"
    else:
        yield ACTIONS[action]
        removed_more = walk.case.left is not None and after == walk.texts.left
        yield (
            "exact"
            if after == before
            else "exact but for our entry"
            if removed_more
            else "DIFFERENT"
        )


def _reason(walk: Walk, result: Result) -> str:
    """The sentence as a person sees it, without the name of the file in front."""
    [message] = [message for message in result.messages if message.level == "error"]
    text = message.text.replace(str(walk.home.resolve()), "~").replace(str(walk.home), "~")
    return text.removeprefix(f"{message.path}: ").removesuffix(".")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
