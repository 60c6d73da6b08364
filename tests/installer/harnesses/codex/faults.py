"""What keeps the real program from running any hook: for the table that holds for every harness."""

from __future__ import annotations

FILE = ".codex/hooks.json"
SWITCHED_OFF_IN = (".codex/config.toml", "[features]\nhooks = false\n")
DROPPED = '{"hooks": {}, "other": 1}'
