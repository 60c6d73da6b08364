"""What makes Copilot CLI ignore a whole file of hooks: checked before we write and by the doctor.

Measured (docs/harnesses/copilot.md): strict JSON with `hooks`, and three values that must be right. A bad
hook is left out alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.json_document import Document, Rules
from ...documents.values import Number
from ..load import Problem

RULES = Rules(reader="Copilot")


def problems(document: Document) -> Iterator[Problem]:
    """Everything for which Copilot ignores the whole file; one without `hooks` is only unfinished."""
    settings = document.value
    if not isinstance(settings, dict):
        yield Problem((), "the top level is not an object")
        return
    if "hooks" in settings and not isinstance(settings["hooks"], dict):
        yield Problem(("hooks",), "it must be an object")
    if "version" in settings and not _is_one(settings["version"]):
        yield Problem(("version",), "it must be 1")
    if settings.get("disableAllHooks") is True:
        yield Problem(("disableAllHooks",), "it switches the hooks of the file off")
    elif settings.get("disableAllHooks", False) is not False:
        yield Problem(("disableAllHooks",), "it must be true or false")


def _is_one(value: Any) -> bool:
    known = isinstance(value, int | float | Number) and not isinstance(value, bool)
    return known and float(value) == 1
