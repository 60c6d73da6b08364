"""What `runaway --install-completion` has put into a home: typer writes it, so no receipt knows it."""

from __future__ import annotations

from collections.abc import Iterator

from .machine import Machine

# The script, and the file that loads it by a line of its own.
PLACES = {
    ".bash_completions/runaway.sh": ".bashrc",
    ".zfunc/_runaway": "",
    ".config/fish/completions/runaway.fish": "",
}


def left(machine: Machine) -> Iterator[str]:
    """A sentence for each script that is there, with how to get rid of it."""
    for script, loader in PLACES.items():
        if (machine.home / script).is_file():
            line = f", and the line in ~/{loader} that loads it" if loader else ""
            yield f"~/{script}: kept, your shell completes `runaway` by it; delete it{line}"
