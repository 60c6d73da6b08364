"""What keeps the real program from running any hook: for the table that holds for every harness.

Pi drops no file; its setting `extensions` can exclude ours.
"""

from __future__ import annotations

FILE = ".pi/agent/extensions/runaway.js"
SWITCHED_OFF_IN = (".pi/agent/settings.json", '{"extensions": ["-extensions/runaway.js"]}')
