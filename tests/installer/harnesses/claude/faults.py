"""What keeps the real program from running any hook: for the table that holds for every harness."""

from __future__ import annotations

FILE = ".claude/settings.json"
SWITCHED_OFF = {"disableAllHooks": True}
DROPPED = "{,}"
