"""What keeps the real program from running any hook: for the table that holds for every harness."""

from __future__ import annotations

FILE = ".factory/settings.json"
SWITCHED_OFF_IN = (".factory/hooks.json", '{"hooksDisabled": true}')
DROPPED = '{"hooks": null}'
