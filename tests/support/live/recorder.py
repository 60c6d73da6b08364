"""A hook of the tests' own: keeps what it is given, and answers what the test tells it to.

Run as `recorder.py FOLDER ANSWER AFTER`: one file per call in FOLDER; prints ANSWER when there have
been AFTER earlier calls. Imported, `Recorder` makes that command and reads the files.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Recorder(NamedTuple):
    folder: Path

    def command(self, answer: Mapping[str, Any] | str = "", *, after: int = 0) -> str:
        """The hook's command line; it is silent for the first `after` calls."""
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return shlex.join([sys.executable, __file__, str(self.folder), text, str(after)])

    def inputs(self, event: str = "") -> list[dict[str, Any]]:
        """What the hook was given, of one event or of all, in order."""
        payloads = [record["input"] for record in self._records()]
        return [given for given in payloads if event in ("", given["hook_event_name"])]

    def environments(self) -> list[dict[str, str]]:
        return [record["environment"] for record in self._records()]

    def _records(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_bytes()) for path in sorted(self.folder.glob("*.json"))]


def main(folder: Path, answer: str, after: int) -> None:
    record = {"input": json.load(sys.stdin), "environment": dict(os.environ)}
    folder.mkdir(exist_ok=True)
    earlier = len(list(folder.glob("*.json")))
    file = folder / f"{time.time_ns()}-{os.getpid()}.json"
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps(record))
    unfinished.rename(file)
    if answer and earlier >= after:
        print(answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
