"""Another program that keeps changing its own key of a shared JSON file, as agents do.

Run as a script: `other_program.py FILE STYLE`, STYLE `rename` or `in-place`; it ends when a file
`stop` lies beside. It remembers what it wrote and exits 1 when its key was changed or the file is
broken for good.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def main(file: Path, style: str) -> int:
    wrote = 0
    while not file.with_name("stop").exists():
        document = read(file)
        if document.get("theirs", 0) != wrote:
            print(f"lost {wrote}, found {document}", flush=True)
            return 1
        wrote = document["theirs"] = wrote + 1
        text = json.dumps(document).encode()
        (write_by_rename if style == "rename" else write_in_place)(file, text)
        if wrote == 1:
            print("started", flush=True)
        time.sleep(0.003)
    print(wrote, flush=True)
    return 0


def read(file: Path) -> Any:
    for _ in range(20):
        try:
            return json.loads(file.read_bytes())
        except (ValueError, FileNotFoundError):
            time.sleep(0.005)
    raise SystemExit(f"{file} stays broken: {file.read_bytes()!r}")


def write_by_rename(file: Path, text: bytes) -> None:
    beside = file.with_suffix(".theirs")
    beside.write_bytes(text)
    beside.replace(file)


def write_in_place(file: Path, text: bytes) -> None:
    with file.open("wb", buffering=0) as out:
        out.write(text[: len(text) // 2])
        time.sleep(0.001)
        out.write(text[len(text) // 2 :])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
