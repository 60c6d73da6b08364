"""The one exception for expected failures: raised deep with a full sentence, caught once at the edge."""

from __future__ import annotations

from pathlib import Path


class Refusal(Exception):
    """Something the user must know or decide; `text` is the whole sentence, `fix` the next step.

    `code` is a stable identifier for `--json` (such as `json-comment`); the exit code is 1, or 2 for
    a mistake in how the command was called (`usage=True`).
    """

    def __init__(
        self,
        text: str,
        *,
        code: str = "refused",
        fix: str = "",
        path: Path | None = None,
        usage: bool = False,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.fix = fix
        self.path = path
        self.usage = usage
