"""Write docs/demo.svg, the picture of the README, from a real run: `python -m tools.make_picture`."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pexpect
from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs/demo.svg"
COLUMNS = 92
PLACE = re.compile(r"/\S*/runaway-demo-\w+")  # another name in each run
FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # a picture loads nothing from elsewhere
FAMILY = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COMMAND = str(Path(sys.executable).with_name("runaway"))


def picture() -> str:
    """What a terminal shows; the same bytes for the same output."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ runaway demo", style="bold"))
    for line in PLACE.sub("/tmp/demo", shown()).splitlines():
        text = Text.from_ansi(line)
        if line.startswith(("$ ", "# ")):
            text.stylize("bold")
        console.print(text, highlight=False)
    svg = console.export_svg(title="runaway demo", unique_id="demo", font_aspect_ratio=0.61)
    return FONT.sub("", svg).replace("Fira Code, monospace", FAMILY)


def shown() -> str:
    """All that comes out on a terminal, colours included."""
    environment = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], "TERM": "xterm"}
    child = pexpect.spawn(COMMAND, ["demo"], env=environment, encoding="utf-8", timeout=60)
    output = str(child.read())
    child.close()
    if child.exitstatus:
        raise SystemExit(output)
    return output


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
