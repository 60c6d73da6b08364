"""What keeps the real program from running any hook: for the table that holds for every harness.

Cursor has no switch in a file.
"""

from __future__ import annotations

FILE = ".cursor/hooks.json"
DROPPED = '{"version": 1, "hooks": {"unknown": []}}'
