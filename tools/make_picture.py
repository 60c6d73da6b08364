"""Write docs/demo.svg, the picture of the README, from a real run: `python -m tools.make_picture`."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs/demo.svg"
COLUMNS = 92
PLACE = re.compile(r"/\S*/runaway-demo-\w+")  # another name in each run
FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # a picture loads nothing from elsewhere
WAY = [str(Path(sys.executable).with_name("runaway")), "demo"]


def picture() -> str:
    """The output as a terminal shows it; the same bytes for the same output."""
    done = subprocess.run(WAY, capture_output=True, text=True, env=os.environ, check=True)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ runaway demo", style="bold"))
    for line in PLACE.sub("/tmp/demo", done.stdout).splitlines():
        console.print(painted(line), highlight=False)
    svg = console.export_svg(title="runaway demo", unique_id="demo", font_aspect_ratio=0.61)
    return FONT.sub("", svg)


def painted(line: str) -> Text:
    """As the commands colour it on a terminal."""
    if line.startswith(("$ ", "# ", "--- ", "+++ ")):
        return Text(line, style="bold")
    colours = {"+": "green", "-": "red", "@": "cyan", "✓": "green", "✗": "red", "!": "yellow"}
    return Text(line, style=colours.get(line[:1], ""))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
