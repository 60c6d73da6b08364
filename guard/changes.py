"""Tell whether a call changes files, so that what ran before it may come out differently afterwards.

Of a shell command the words decide: it need not be sure, for equal results stay equal anyway.
"""

from __future__ import annotations

from .call import EDIT, SHELL

NO_FILES = (
    "2>&1",
    ">&2",
    "> /dev/null",
    ">/dev/null",
    "->",
    "=>",
    ">=",
)  # no redirections to files
WRITING = (
    *(">", "tee ", "sed -i", "perl -i", "patch", "mv ", "cp ", "rm ", "install", "write(", "--fix"),
    *("git apply", "git checkout", "git restore", "git reset", "git stash", "git revert"),
)


def changes_files(kind: str, arguments: object) -> bool:
    """Tell whether this kind of call, with these arguments, looks like a change."""
    if kind != SHELL or not isinstance(arguments, dict):
        return kind == EDIT
    command = arguments.get("command")
    if not isinstance(command, str):
        return False
    for harmless in NO_FILES:
        command = command.replace(harmless, "")
    return any(word in command for word in WRITING)
