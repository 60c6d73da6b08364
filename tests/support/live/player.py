"""A hook of the tests' own that plays a list of answers, call by call.

Run as `player.py FOLDER ANSWERS`; imported, `command` makes that command.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Answer(NamedTuple):
    """What the hook prints, how it ends, and whether the call then runs."""

    name: str
    printed: str
    code: int
    runs: bool


def command(folder: Path, answers: Sequence[Answer]) -> str:
    return shlex.join([sys.executable, __file__, str(folder), json.dumps(answers)])


def main(folder: Path, answers: list[list[str | int]]) -> int:
    turn = folder / "turn"
    number = int(turn.read_text()) if turn.exists() else 0
    turn.write_text(str(number + 1))
    _, printed, code, _ = answers[number]
    print(printed)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), json.loads(sys.argv[2])))
