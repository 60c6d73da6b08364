"""Tell whether a shell command may change files, so that what failed before it may succeed afterwards."""

from __future__ import annotations

WRITING = (
    *("cat >", "tee ", "sed -i", "perl -i", "patch ", "--fix"),
    *("git apply", "git checkout", "git restore", "git reset", "git stash", "git revert"),
)


def may_change_files(arguments: object) -> bool:
    """Tell whether the arguments of a shell call look like a change."""
    command = arguments.get("command") if isinstance(arguments, dict) else None
    return isinstance(command, str) and any(word in command for word in WRITING)
