"""What keeps the real program from running any hook: for the table that holds for every harness.

Its hooks are a list, each with a switch of its own: see test_kiro.py.
"""

from __future__ import annotations

FILE = ".kiro/hooks/runaway.json"
LISTED = True
DROPPED = "{,}"
