"""The recipes of docs/recipes.md that are marked as tested, as files and commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/recipes.md"
SCRIPT = Path(sys.executable).with_name("runaway")
SETTINGS = b'{\n  "model": "opus"\n}\n'


def recipe(title: str) -> str:
    """The first block below this heading."""
    _, _, section = PAGE.read_text("utf-8").partition(f"\n## {title}\n")
    found = re.search(r"^\*Tested:\*\n\n```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def dotfiles(home: Path, name: str) -> Path:
    """A repository that holds the settings of Claude Code at this place."""
    file = home / "dotfiles" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(SETTINGS)
    return file


def run(home: Path, *command: str, folder: Path | None = None) -> str:
    """What it prints; fails with that when the command does."""
    programs = f"{SCRIPT.parent}:{folder}" if folder else str(SCRIPT.parent)
    done = subprocess.run(
        command,
        env={"HOME": str(home), "PATH": f"{programs}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
