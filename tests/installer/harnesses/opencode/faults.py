"""What keeps the real program from running any hook: for the table that holds for every harness.

OpenCode drops no file, and has its switch in a variable.
"""

from __future__ import annotations

FILE = ".config/opencode/plugin/runaway.js"
