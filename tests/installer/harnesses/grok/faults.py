"""What keeps the real program from running any hook: for the table that holds for every harness."""

from __future__ import annotations

FILE = ".grok/hooks/runaway.json"
SWITCHED_OFF_IN = (".grok/disabled-hooks", "global/runaway:pre_tool_use[0].hooks[0]\n")
DROPPED = "{,}"
