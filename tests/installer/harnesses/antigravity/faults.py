"""What keeps the real program from running any hook: for the table that holds for every harness."""

from __future__ import annotations

FILE = ".gemini/config/hooks.json"
EVENT = "PreToolUse"  # which its payload does not name
DROPPED = '{"hooks": {}, "mine": {"Stop": "x"}}'
