"""What keeps the real program from running any hook: for the table that holds for every harness."""

from __future__ import annotations

FILE = ".copilot/hooks/runaway.json"
SWITCHED_OFF_IN = ("project/.vscode/settings.json", '{"chat.useHooks": false}')
DROPPED = "{,}"
